// How bursts end: packets that have had their slot continue by events, the others are revoked.
#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include "kbsim/hw/fabric/component.hpp"

#include "../trains/reservations.hpp"
#include "burst_schedule.hpp"

namespace kbsim::hw {

// Works backwards, since lanes were reserved in order. No lane was reserved after slots that are yet to come.
// No component asks for an end meanwhile.
void BurstSchedule::end(bool present) {
  if (bursts_.empty()) return;
  for (const Burst& burst : bursts_) claim_links(burst, nullptr);
  reservations_->claims.drop_burst(index_);
  for (const Burst& burst : std::views::reverse(bursts_)) {
    const Burst::Progress by_now = progress(burst, present);
    if (by_now.slots < burst.count) *source_.port = burst.before.port;
    if (by_now.left < burst.count) burst.first->lane = burst.before.first;
    for (std::size_t i = 0; i < burst.all().size() && by_now.arrived < burst.count; ++i)
      burst.flows[i].second->lane = burst.before.seconds[i];
    reserve(burst, {.slots = by_now.slots < burst.count ? by_now.slots : 0,
                    .left = by_now.left < burst.count ? by_now.left : 0,
                    .arrived = by_now.arrived < burst.count ? by_now.arrived : 0});
    if (by_now.arrived < burst.count) continue_by_events(burst, by_now);
  }
  bursts_.clear();
  std::ranges::sort(alone_, {}, [](const Alone& one) { return one.left.head; });
}

// A packet that passes the port now does so in the first batch.
Burst::Progress BurstSchedule::progress(const Burst& burst, bool present) const {
  const auto crossed = [&](const Edge& at, std::uint32_t batch, NodeId node, std::uint32_t port) {
    const std::optional<Packet> one = present_one(burst, at, port);
    return burst.passed(at.head, fabric_->sim().now(),
                        one && fabric_->has_passed(fabric_->component(node), batch, *one));
  };
  return {.slots = burst.slots_past(fabric_->sim().now(), present),
          .left = crossed(burst.left, 1, source_.memory, 0),
          .arrived = crossed(burst.arrived, burst.batch, source_.unit, burst.first->port)};
}

// The packet that arrives there now, if any.
std::optional<Packet> BurstSchedule::present_one(const Burst& burst, const Edge& at,
                                                 std::uint32_t port) const {
  const Time now = fabric_->sim().now();
  if (!burst.passes(at.head, now)) return std::nullopt;
  const std::int64_t i = (now - at.head) / burst.gap;
  const Burst::Flow& flow = burst.flows[burst.flow_of(i)];
  return Packet{.message = flow.message,
                .head = now,
                .port = port,
                .ordinal = flow.ordinal + static_cast<std::uint32_t>(i / burst.flow_count)};
}

void BurstSchedule::continue_by_events(const Burst& burst, const Burst::Progress& from) {
  for (std::size_t i = 0; i < burst.all().size(); ++i) {
    const std::int64_t count = burst.among(burst.count, i);
    const std::int64_t arrived = burst.among(from.arrived, i);
    if (arrived == count) continue;  // the message may no longer exist
    leave_out(burst, i, arrived);
    unsend(burst, i, burst.among(from.slots, i), count);
  }
  for (std::int64_t i = from.arrived; i < from.left; ++i) continue_packet(burst, i, 1, burst.arrived);
  for (std::int64_t i = from.left; i < from.slots; ++i) continue_packet(burst, i, 0, burst.left);
}

void BurstSchedule::leave_out(const Burst& burst, std::size_t flow, std::int64_t from) {
  const Burst::Flow& its = burst.flows[flow];
  reservations_->bursts.leave_out(*its.message, 2, its.ordinal + static_cast<std::uint32_t>(from));
}

// Only the first `sent` of `of` packets of a flow have their slot.
void BurstSchedule::unsend(const Burst& burst, std::size_t flow, std::int64_t sent, std::int64_t of) {
  const std::int64_t unsent = of - sent;
  if (unsent == 0) return;  // others of the message may have left after them
  Message& message = *burst.flows[flow].message;
  const Time gap = burst.flow_count * burst.gap;
  const Edge first = burst.left.later(static_cast<std::int64_t>(flow) * burst.gap);
  message.injected -= static_cast<std::uint32_t>(unsent);
  message.source_tail = sent == 0 ? burst.flows[flow].tail : first.tail + (sent - 1) * gap;
  fabric_->message_counts().under_way += (sent + of - 1) * unsent / 2 * gap + unsent * first.head;
}

// Packet `i` arrives by an event at the node at that hop.
void BurstSchedule::continue_packet(const Burst& burst, std::int64_t i, std::uint32_t hop, const Edge& from) {
  const Burst::Flow& flow = burst.flows[burst.flow_of(i)];
  const Time sooner = !burst.is_shorter(i) ? Time{0} : hop == 0 ? burst.shorter.left : burst.shorter.arrived;
  Packet& packet = fabric_->allocate();
  packet = {.message = flow.message,
            .size = burst.is_shorter(i) ? burst.shorter.size : burst.size,
            .head = from.head + i * burst.gap,
            .tail = from.tail + i * burst.gap - sooner,
            .hop = hop,
            .port = hop == 0 ? 0 : burst.first->port,
            .ordinal = flow.ordinal + static_cast<std::uint32_t>(i / burst.flow_count),
            .injected = burst.left.head + i * burst.gap};
  add_alone(packet, burst.at_port(i));
  Component& there = fabric_->component(hop == 0 ? source_.memory : source_.unit);
  const bool with_those =
      packet.head == fabric_->sim().now() &&
      fabric_->sim().scheduler().lates().of(fabric_->sim().now()) == (hop == 0 ? 1 : burst.batch);
  if (with_those) return there.join(packet);
  there.inbox().post(packet.head, packet);
}

}  // namespace kbsim::hw
