// How bursts end: what has happened by now stays; the rest is revoked or goes on by events.
#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include "kbsim/hw/fabric/component.hpp"

#include "../trains/reservations.hpp"
#include "../trains/timetable.hpp"
#include "burst.hpp"

namespace kbsim::hw {

// Works backwards, since lanes were reserved in order. Nothing was reserved after what hasn't happened. No
// component asks for an end meanwhile.
void PacedRuns::end(bool present) {
  if (runs_.empty()) return;
  for (const Run& run : runs_) hold_links(run, nullptr);
  reservations_->claims().drop_burst(place_);
  for (const Run& run : std::views::reverse(runs_)) {
    const Reached by_now = reached(run, present);
    if (by_now.turned < run.count) *source_.port = run.before.port;
    if (by_now.left < run.count) run.first->lane = run.before.first;
    for (std::size_t i = 0; i < run.all().size() && by_now.came < run.count; ++i)
      run.parts[i].second->lane = run.before.seconds[i];
    reserve(run, {.turned = by_now.turned < run.count ? by_now.turned : 0,
                  .left = by_now.left < run.count ? by_now.left : 0,
                  .came = by_now.came < run.count ? by_now.came : 0});
    if (by_now.came < run.count) go_on(run, by_now);
  }
  runs_.clear();
  std::ranges::sort(alone_, {}, [](const Alone& one) { return one.left.head; });
}

// A packet that passes the port now does so in the first batch.
PacedRuns::Reached PacedRuns::reached(const Run& run, bool present) const {
  const auto crossed = [&](const Edge& at, std::uint32_t batch, NodeId node, std::uint32_t port) {
    const std::optional<Packet> one = present_one(run, at, port);
    return by_now(run, at.head, one && fabric_->has_passed(fabric_->component(node), batch, *one));
  };
  return {.turned = turned(run, present),
          .left = crossed(run.left, 1, source_.memory, 0),
          .came = crossed(run.came, run.batch, source_.unit, run.first->port)};
}

// The packet that arrives there now, if any.
std::optional<Packet> PacedRuns::present_one(const Run& run, const Edge& at, std::uint32_t port) const {
  const Time since = fabric_->sim().now() - at.head;
  if (since < Time{0} || since > (run.count - 1) * run.gap || since % run.gap != Time{0}) return std::nullopt;
  const std::int64_t i = since / run.gap;
  const Part& part = run.parts[run.part(i)];
  return Packet{.message = part.message,
                .head = fabric_->sim().now(),
                .port = port,
                .ordinal = part.ordinal + static_cast<std::uint32_t>(i / run.ways)};
}

// The first has its turn when the run begins.
std::int64_t PacedRuns::turned(const Run& run, bool present) const {
  return std::max<std::int64_t>(1, by_now(run, run.turn, present));
}

std::int64_t PacedRuns::by_now(const Run& run, Time first, bool present) const {
  return count_before(first, run.gap, static_cast<std::uint32_t>(run.count), fabric_->sim().now(), present);
}

void PacedRuns::go_on(const Run& run, const Reached& from) {
  for (std::size_t i = 0; i < run.all().size(); ++i) {
    const std::int64_t count = run.among(run.count, i);
    const std::int64_t came = run.among(from.came, i);
    if (came == count) continue;  // the message may no longer exist
    leave_out(run, i, came);
    unsend(run, i, run.among(from.turned, i), count);
  }
  for (std::int64_t i = from.came; i < from.left; ++i) go_on(run, i, 1, run.came);
  for (std::int64_t i = from.left; i < from.turned; ++i) go_on(run, i, 0, run.left);
}

void PacedRuns::leave_out(const Run& run, std::size_t part, std::int64_t from) {
  const Part& of = run.parts[part];
  reservations_->leave_out(*of.message, 2, of.ordinal + static_cast<std::uint32_t>(from));
}

// Only the first `sent` of `of` packets of a part have their turn.
void PacedRuns::unsend(const Run& run, std::size_t part, std::int64_t sent, std::int64_t of) {
  const std::int64_t unsent = of - sent;
  if (unsent == 0) return;  // others of the message may have left after them
  Message& message = *run.parts[part].message;
  const Time gap = run.ways * run.gap;
  const Edge first = later(run.left, static_cast<std::int64_t>(part) * run.gap);
  message.injected -= static_cast<std::uint32_t>(unsent);
  message.source_tail = sent == 0 ? run.parts[part].tail : first.tail + (sent - 1) * gap;
  fabric_->add_under_way((sent + of - 1) * unsent / 2 * gap + unsent * first.head);
}

// The packet goes on by an event, from there.
void PacedRuns::go_on(const Run& run, std::int64_t i, std::uint32_t hop, const Edge& from) {
  const Part& part = run.parts[run.part(i)];
  const Time sooner = !run.is_shorter(i) ? Time{0} : hop == 0 ? run.shorter.left : run.shorter.came;
  Packet& packet = fabric_->allocate();
  packet = {.message = part.message,
            .size = run.is_shorter(i) ? run.shorter.size : run.size,
            .head = from.head + i * run.gap,
            .tail = from.tail + i * run.gap - sooner,
            .hop = hop,
            .port = hop == 0 ? 0 : run.first->port,
            .ordinal = part.ordinal + static_cast<std::uint32_t>(i / run.ways),
            .injected = run.left.head + i * run.gap};
  goes_alone(packet, run.at_port(i));
  Component& there = fabric_->component(hop == 0 ? source_.memory : source_.unit);
  const bool with_those =
      packet.head == fabric_->sim().now() && fabric_->sim().scheduler().batch() == (hop == 0 ? 1 : run.batch);
  if (with_those) return there.join(packet);
  there.inbox().post(packet.head, packet);
}

}  // namespace kbsim::hw
