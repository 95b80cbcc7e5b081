#include "burst_schedule.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"

#include "../trains/reservations.hpp"

namespace kbsim::hw {
namespace {

bool is_plain(const LiveLink& link) {
  return link.from_switch() == nullptr && link.credits() == nullptr && link.border() == nullptr &&
         !link.is_observed();
}

}  // namespace

BurstSchedule::BurstSchedule(Fabric& fabric, const Source& source, ILinkClaim& holder)
    : fabric_{&fabric},
      reservations_{&Reservations::of(fabric)},
      source_{source},
      holder_{&holder},
      over_memory_{fabric.component(source.memory).steady_overhead()},
      over_unit_{fabric.component(source.unit).steady_overhead()} {}

std::int64_t BurstSchedule::begin(const ArbitrationSlots& slots) {
  drop_past();
  if (!can_reserve(*slots.message) || (slots.other != nullptr && !can_reserve(*slots.other)) || !takes_over())
    return 0;
  Burst burst = burst_of(slots);
  burst.first_slot = fabric_->sim().now();
  burst.gap = slots.gap;
  if (burst.flow_count > 1 && burst.flows[0].second == burst.flows[1].second) return 0;
  Burst::Servers servers = burst.servers();
  pass_first(burst, servers);
  if (slots.most > 1 && !paces(burst, servers)) return 0;
  enter(burst, slots.most);
  if (burst.count == 0) return 0;
  if (slots.shorter > 0_B && burst.count == slots.most) enter_shorter(burst, slots.shorter);
  reserve(burst, {.slots = burst.count, .left = burst.count, .arrived = burst.count});
  claim(burst);
  return burst.count;
}

// The second of two messages has the same number of slots as the first, or one less.
void BurstSchedule::enter(Burst& burst, std::int64_t most) {
  std::array<std::int64_t, Burst::kMostFlows> reserved{};
  for (std::size_t i = 0; i < burst.all().size(); ++i) {
    const Edge left = burst.left.later(static_cast<std::int64_t>(i) * burst.gap);
    const PacketRun leaving{.size = burst.size,
                            .head = left.head,
                            .tail = left.tail,
                            .gap = burst.flow_count * burst.gap,
                            .count = burst.among(most, i)};
    reserved[i] = reservations_->bursts.enter(*burst.flows[i].message, leaving, burst.entry_of(i));
    if (reserved[i] == 0) break;
  }
  burst.count = burst.flow_count == 1 ? reserved[0] : std::min(2 * reserved[0], 2 * reserved[1] + 1);
  for (std::size_t i = 0; i < burst.all().size(); ++i) {
    const std::int64_t taken = std::min(reserved[i], burst.among(burst.count, i));
    if (taken == reserved[i]) continue;
    leave_out(burst, i, taken);
    unsend(burst, i, taken, reserved[i]);
  }
}

// Adds the shorter packet if its head arrives at each place when a full packet's would.
void BurstSchedule::enter_shorter(Burst& burst, Bytes size) const {
  Burst::Flow& flow = burst.flows[0];
  const Time after = burst.count * burst.gap;
  const auto server = [&](const Lane& lane, const Edge& passed, Time wire) {
    return Server{.free = passed.tail - wire + after - burst.gap, .service = lane.service(size)};
  };
  Server port = server(*source_.port, burst.left, Time{0});
  Server first = server(burst.first->lane, burst.arrived, burst.first->wire);
  Server second = server(flow.second->lane, flow.entered, flow.second->wire);
  const Edge left = over_port(port, burst.first_slot + after);
  const Edge arrived = over_first(burst, first, left);
  const Edge entered = over_second(flow, second, arrived);
  const auto follows = [after](const Edge& one, const Edge& last) { return last.head - one.head == after; };
  if (!follows(burst.left, left) || !follows(burst.arrived, arrived) || !follows(flow.entered, entered))
    return;
  const PacketRun leaving{.size = size, .head = left.head, .tail = left.tail, .gap = burst.gap, .count = 1};
  BurstEntry entry = burst.entry_of(0);
  entry.head = entered.head;
  entry.tail = entered.tail;
  if (reservations_->bursts.enter(*flow.message, leaving, entry) == 0) return;
  burst.shorter = {.size = size,
                   .left = burst.left.tail + after - left.tail,
                   .arrived = burst.arrived.tail + after - arrived.tail};
  ++burst.count;
}

bool BurstSchedule::can_reserve(const Message& message) const {
  const std::span<const LinkId> route = message.route;
  if (fabric_->shortcut() == nullptr || source_.latency <= Time{0} || route.size() < 3) return false;
  const LiveLink& first = fabric_->live(route[0]);
  const LiveLink& second = fabric_->live(route[1]);
  const auto is_free = [this](const LiveLink& link) {
    return is_plain(link) && (link.claimed == 0 || reservations_->claims.claim(link) == holder_);
  };
  return first.to == source_.unit && second.arrivals != nullptr && is_free(first) && is_free(second);
}

Burst BurstSchedule::burst_of(const ArbitrationSlots& slots) const {
  const auto flow_of = [this](Message& message) {
    return Burst::Flow{.message = &message,
                       .second = &fabric_->live(message.route[1]),
                       .ordinal = message.injected,
                       .tail = message.source_tail};
  };
  Burst burst{.size = slots.size, .first = &fabric_->live(slots.message->route[0])};
  burst.flows[0] = flow_of(*slots.message);
  burst.before = {*source_.port, burst.first->lane, {burst.flows[0].second->lane}};
  if (slots.other == nullptr) return burst;
  burst.flow_count = 2;
  burst.flows[1] = flow_of(*slots.other);
  burst.before.seconds[1] = burst.flows[1].second->lane;
  return burst;
}

void BurstSchedule::claim(const Burst& burst) {
  claim_links(burst, holder_);
  if (bursts_.empty()) {
    index_ = reservations_->claims.add(*this);
  }
  bursts_.push_back(burst);
}

void BurstSchedule::pass_first(Burst& burst, Burst::Servers& servers) const {
  burst.left = over_port(servers.port, burst.first_slot);
  burst.arrived = over_first(burst, servers.first, burst.left);
  for (std::size_t i = 0; i < burst.all().size(); ++i) {
    Burst::Flow& flow = burst.flows[i];
    const Edge arrived = burst.arrived.later(static_cast<std::int64_t>(i) * burst.gap);
    flow.entered = over_second(flow, servers.seconds[i], arrived);
  }
  burst.batch = burst.arrival_batch();
}

// True if all packets pass the port and the first link at the pace of the first two. On the second link the
// first two of each message set the pace.
bool BurstSchedule::paces(const Burst& burst, Burst::Servers servers) const {
  const auto follows = [](const Edge& a, const Edge& b, Time by) {
    return b.head - a.head == by && b.tail - a.tail == by;
  };
  const Edge left = over_port(servers.port, burst.first_slot + burst.gap);
  const Edge arrived = over_first(burst, servers.first, left);
  if (!follows(burst.left, left, burst.gap) || !follows(burst.arrived, arrived, burst.gap)) return false;
  const Time step = burst.flow_count * burst.gap;
  for (std::size_t i = 0; i < burst.all().size(); ++i) {
    const Edge next = burst.arrived.later(static_cast<std::int64_t>(i) * burst.gap + step);
    const Edge entered = over_second(burst.flows[i], servers.seconds[i], next);
    if (!follows(burst.flows[i].entered, entered, step)) return false;
  }
  return true;
}

Burst::Edge BurstSchedule::over_port(Server& server, Time slot) const {
  const Time read = slot + source_.latency;
  return server.pass(read, read);
}

Burst::Edge BurstSchedule::over_first(const Burst& burst, Server& server, const Edge& left) const {
  return server.pass(left.head + over_memory_, left.tail + over_memory_).later(burst.first->wire);
}

Burst::Edge BurstSchedule::over_second(const Burst::Flow& flow, Server& server, const Edge& arrived) const {
  return server.pass(arrived.head + over_unit_, arrived.tail + over_unit_).later(flow.second->wire);
}

void BurstSchedule::send(Message& message, Bytes size, Lane::Slot slot) {
  alone_.erase(alone_.begin(),
               std::ranges::find_if(alone_, [this](const Alone& one) { return is_between(one); }));
  Packet& packet = fabric_->next_packet(message, size, slot.start, slot.end);
  add_alone(packet, {slot.start, slot.end});
  fabric_->component(source_.memory).inbox().post(slot.start, packet);
}

void BurstSchedule::add_alone(Packet& packet, const Edge& left) {
  alone_.push_back({&packet, packet.message, packet.message->sequence, packet.ordinal, left});
}

// Reserves the packets that are on their way by events. False if some can't be reserved, or if other packets
// may be on the first link: they arrive at the unit at the latest a wire delay after that link is free.
bool BurstSchedule::takes_over() {
  const Time now = fabric_->sim().now();
  if (passing_ != kNever) {
    const LiveLink& first = fabric_->live(fabric_->graph().out(source_.memory).front());
    if (std::max(passing_, first.lane.free() + first.wire) >= now) return false;
    passing_ = kNever;
  }
  const auto stays =
      std::ranges::find_if(alone_, [this](const Alone& one) { return is_between(one) && !takes_over(one); });
  alone_.erase(alone_.begin(), stays);
  return alone_.empty();
}

// Packet and message objects are reused, by any source.
bool BurstSchedule::is_between(const Alone& one) const {
  const Packet& packet = *one.packet;
  return packet.message == one.message && one.message->from == source_.memory &&
         one.message->sequence == one.sequence && packet.ordinal == one.ordinal && packet.hop < 2;
}

// Reserves from where the packet is: at the memory or at the unit.
bool BurstSchedule::takes_over(const Alone& alone) {
  Packet& packet = *alone.packet;
  if (!can_reserve(*packet.message)) return false;
  const std::uint32_t hop = packet.hop;
  const Edge at{packet.head, packet.tail};
  Inbox<Packet>& inbox = fabric_->component(hop == 0 ? source_.memory : source_.unit).inbox();
  Burst burst = burst_of({.message = packet.message, .size = packet.size});
  Burst::Flow& flow = burst.flows[0];
  flow.ordinal = packet.ordinal;
  burst.count = 1;
  burst.left = alone.left;
  Burst::Servers servers = burst.servers();
  burst.arrived = hop == 0 ? over_first(burst, servers.first, burst.left) : at;
  flow.entered = over_second(flow, servers.seconds[0], burst.arrived);
  burst.batch = burst.arrival_batch();
  inbox.withdraw(packet);
  if (!reservations_->bursts.enter(packet, burst.entry_of(0))) {
    packet.hop = hop;
    packet.port = hop == 0 ? 0 : burst.first->port;
    packet.late = 0;
    packet.in_burst = false;
    packet.head = at.head;
    packet.tail = at.tail;
    inbox.put_back(packet.head, packet);
    return false;
  }
  reserve(burst, {.left = hop == 0 ? 1 : 0, .arrived = 1});
  claim(burst);
  return true;
}

// Reserves `lane` for `count` packets, `gap` apart; the first arrives at `at`. If `last` isn't 0, the last
// has that size, and its tail arrives earlier by `sooner`.
[[gnu::always_inline]] inline void BurstSchedule::pass(const Burst& burst, Lane& lane, const Edge& at,
                                                       std::int64_t count, Time gap, Bytes last,
                                                       Time sooner) {
  if (count <= 0) return;
  const std::int64_t alike = last > 0_B ? count - 1 : count;
  if (alike > 0) (void)lane.reserve_run(at.head, at.tail, gap, alike, burst.size, lane.service(burst.size));
  if (last > 0_B) [[unlikely]]
    (void)lane.reserve(at.head + alike * gap, at.tail + alike * gap - sooner, last);
}

// Reserves for the packets of a flow that have crossed. `before` has the first `counted` of them already.
[[gnu::always_inline]] inline void BurstSchedule::reserve_second(const Burst& burst, std::size_t flow,
                                                                 Lane& lane, std::int64_t crossed) const {
  const std::int64_t counted = burst.flows[flow].counted;
  const Edge arrived =
      burst.arrived.later((counted * burst.flow_count + static_cast<std::int64_t>(flow)) * burst.gap);
  const Bytes last = burst.is_shorter(crossed - 1) ? burst.shorter.size : 0_B;
  pass(burst, lane, arrived.later(over_unit_), crossed - counted, burst.flow_count * burst.gap, last,
       burst.shorter.arrived);
}

void BurstSchedule::reserve(const Burst& burst, const Burst::Progress& packets) const {
  const auto last = [&burst](std::int64_t n) { return burst.is_shorter(n - 1) ? burst.shorter.size : 0_B; };
  const Edge read{burst.first_slot, burst.first_slot};
  pass(burst, *source_.port, read.later(source_.latency), packets.slots, burst.gap, last(packets.slots),
       Time{0});
  pass(burst, burst.first->lane, burst.left.later(over_memory_), packets.left, burst.gap, last(packets.left),
       burst.shorter.left);
  for (std::size_t i = 0; i < burst.all().size(); ++i)
    reserve_second(burst, i, burst.flows[i].second->lane, burst.among(packets.arrived, i));
}

// The packet crosses after some packets of a burst, and before all others.
std::optional<Lane::Slot> BurstSchedule::between(LiveLink& link, const Packet& packet, Time overhead) {
  const Time now = fabric_->sim().now();
  if (packet.leads || crosses_now()) return std::nullopt;
  const auto is_coming = [now](const Burst& each) { return each.is_coming(now); };
  const auto burst = std::ranges::find_if(bursts_, is_coming);
  const Time head = packet.head + overhead;
  const Time tail = packet.tail + overhead;
  if (burst == bursts_.end()) return link.lane.reserve(head, tail, packet.size);
  const std::size_t flow = burst->flow_on(link);
  if (flow == burst->all().size()) return std::nullopt;
  const std::int64_t crossed = burst->among(burst->passed(burst->arrived.head, now, false), flow);
  const std::int64_t next = crossed * burst->flow_count + static_cast<std::int64_t>(flow);
  const bool is_last = next >= burst->count;
  if (is_last && std::next(burst) != bursts_.end()) return std::nullopt;
  Lane then = burst->before.seconds[flow];
  reserve_second(*burst, flow, then, crossed);
  const Lane::Slot slot = then.reserve(head, tail, packet.size);
  if (!is_last && slot.end > burst->arrived.head + next * burst->gap + over_unit_) return std::nullopt;
  burst->before.seconds[flow] = then;
  burst->flows[flow].counted = crossed;
  if (is_last) {
    link.lane = then;
    return slot;
  }
  link.lane.note(packet.size, head, slot.start);
  for (Burst& after : std::ranges::subrange{std::next(burst), bursts_.end()}) {
    const std::size_t its = after.flow_on(link);
    if (its < after.all().size()) after.before.seconds[its].note(packet.size, head, slot.start);
  }
  return slot;
}

bool BurstSchedule::crosses_now() const {
  const Time now = fabric_->sim().now();
  return std::ranges::any_of(bursts_,
                             [now](const Burst& each) { return each.passes(each.arrived.head, now); });
}

bool BurstSchedule::has_claim() {
  drop_past();
  return !bursts_.empty();
}

void BurstSchedule::drop_past() {
  const Time now = fabric_->sim().now();
  const auto first = std::ranges::find_if(bursts_, [now](const Burst& each) { return each.is_coming(now); });
  if (first == bursts_.begin()) return;
  for (const Burst& burst : std::ranges::subrange{bursts_.begin(), first}) claim_links(burst, nullptr);
  bursts_.erase(bursts_.begin(), first);
  for (const Burst& burst : bursts_) claim_links(burst, holder_);
  if (bursts_.empty()) reservations_->claims.drop_burst(index_);
}

// Links out of a memory or a DMA are never shadowed.
void BurstSchedule::claim_links(const Burst& burst, ILinkClaim* holder) {
  reservations_->claims.set_claim(*burst.first, holder);
  for (const Burst::Flow& flow : burst.all()) reservations_->claims.set_claim(*flow.second, holder);
}

}  // namespace kbsim::hw
