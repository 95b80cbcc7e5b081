#include "kbsim/hw/fabric/paced_runs.hpp"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"

#include "arrival_order.hpp"
#include "bookings.hpp"
#include "flights.hpp"

namespace kbsim::hw {
namespace {

bool is_plain(const LiveLink& link) {
  return link.from_switch == nullptr && link.credits() == nullptr && link.border() == nullptr;
}

}  // namespace

std::int64_t PacedRuns::begin(Message& message, Bytes size, Time gap, std::int64_t most) {
  drop_past();
  if (!can_tell(message) || !takes_over()) return 0;
  Run run = run_of(message, size);
  run.ordinal = message.injected;
  run.turn = fabric_->sim().now();
  run.gap = gap;
  Lanes lanes = run.before;
  pass_first(run, lanes);
  if (most > 1 && !paces(run, lanes)) return 0;
  const PacketRun leaving{
      .size = size, .head = run.left.head, .tail = run.left.tail, .gap = gap, .count = most};
  run.count = fabric_->flights_->enter(message, leaving, entry_of(run));
  if (run.count == 0) return 0;
  if (run.count == 1)
    std::tie(*source_.port, run.first->lane, run.second->lane) =
        std::tie(lanes.port, lanes.first, lanes.second);
  else
    reserve(run, {.turned = run.count, .left = run.count, .came = run.count});
  hold(run);
  return run.count;
}

bool PacedRuns::can_tell(const Message& message) const {
  const std::span<const LinkId> route = message.route;
  if (!fabric_->books_ahead_ || source_.latency <= Time{0} || route.size() < 3) return false;
  const LiveLink& first = fabric_->live(route[0]);
  const LiveLink& second = fabric_->live(route[1]);
  const auto is_free = [this](const LiveLink& link) {
    return is_plain(link) && (link.hold == nullptr || link.hold == holder_);
  };
  return first.to == source_.unit && second.arrivals != nullptr && is_free(first) && is_free(second);
}

PacedRuns::Run PacedRuns::run_of(Message& message, Bytes size) const {
  Run run{.message = &message,
          .size = size,
          .first = &fabric_->live(message.route[0]),
          .second = &fabric_->live(message.route[1])};
  run.before = {*source_.port, run.first->lane, run.second->lane};
  return run;
}

RunEntry PacedRuns::entry_of(const Run& run) {
  const Time lag = run.entered.head - run.came.head;
  return {.hop = 2,
          .head = run.entered.head,
          .tail = run.entered.tail,
          .lag = lag,
          .batch = run.batch,
          .late = static_cast<std::uint8_t>(lag > Time{0} ? 0 : run.batch + 1)};
}

void PacedRuns::hold(const Run& run) {
  run.first->hold = run.second->hold = holder_;
  if (runs_.empty()) {
    place_ = fabric_->runs_.size();
    fabric_->runs_.push_back(this);
  }
  runs_.push_back(run);
}

void PacedRuns::pass_first(Run& run, Lanes& lanes) const {
  run.left = over_port(run, lanes.port, run.turn);
  run.came = over_first(run, lanes.first, run.left);
  run.entered = over_second(run, lanes.second, run.came);
  run.batch = batch_of(run);
}

// What leaves the port at a time is there with the first batch of it, and then at the unit with the next.
std::uint32_t PacedRuns::batch_of(const Run& run) { return run.came.head == run.left.head ? 2 : 1; }

// All pass the port and the links as the first two do.
bool PacedRuns::paces(const Run& run, Lanes lanes) const {
  const Edge left = over_port(run, lanes.port, run.turn + run.gap);
  const Edge came = over_first(run, lanes.first, left);
  const Edge entered = over_second(run, lanes.second, came);
  const auto follows = [&run](const Edge& a, const Edge& b) {
    return b.head - a.head == run.gap && b.tail - a.tail == run.gap;
  };
  return follows(run.left, left) && follows(run.came, came) && follows(run.entered, entered);
}

PacedRuns::Edge PacedRuns::over_port(const Run& run, Lane& lane, Time turn) const {
  const Time read = turn + source_.latency;
  const Lane::Slot slot = lane.reserve(read, read, run.size);
  return {slot.start, slot.end};
}

PacedRuns::Edge PacedRuns::over_first(const Run& run, Lane& lane, const Edge& left) const {
  const Time overhead = fabric_->component(source_.memory).overhead();
  const Lane::Slot slot = lane.reserve(left.head + overhead, left.tail + overhead, run.size);
  return {slot.start + run.first->wire, slot.end + run.first->wire};
}

PacedRuns::Edge PacedRuns::over_second(const Run& run, Lane& lane, const Edge& came) const {
  const Time overhead = fabric_->component(source_.unit).overhead();
  const Lane::Slot slot = lane.reserve(came.head + overhead, came.tail + overhead, run.size);
  return {slot.start + run.second->wire, slot.end + run.second->wire};
}

void PacedRuns::send(Message& message, Bytes size, Lane::Slot slot) {
  alone_.erase(alone_.begin(),
               std::ranges::find_if(alone_, [this](const Alone& one) { return is_between(one); }));
  Packet& packet = fabric_->next_packet(message, size, slot.start, slot.end);
  goes_alone(packet, {slot.start, slot.end});
  fabric_->component(source_.memory).inbox().post(slot.start, packet);
}

void PacedRuns::goes_alone(Packet& packet, const Edge& left) {
  alone_.push_back({&packet, packet.message, packet.message->sequence, packet.ordinal, left});
}

// What is on its way by events is told from now on. Others come to the unit at the time at which the first
// link is free again, at the latest.
bool PacedRuns::takes_over() {
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

// Packets and messages are used again, of any source.
bool PacedRuns::is_between(const Alone& one) const {
  const Packet& packet = *one.packet;
  return packet.message == one.message && one.message->from == source_.memory &&
         one.message->sequence == one.sequence && packet.ordinal == one.ordinal && packet.hop < 2;
}

// From where it is: before the first link or the second.
bool PacedRuns::takes_over(const Alone& alone) {
  Packet& packet = *alone.packet;
  if (!can_tell(*packet.message)) return false;
  const std::uint32_t hop = packet.hop;
  const Edge at{packet.head, packet.tail};
  Inbox<Packet>& inbox = fabric_->component(hop == 0 ? source_.memory : source_.unit).inbox();
  Run run = run_of(*packet.message, packet.size);
  run.ordinal = packet.ordinal;
  run.count = 1;
  run.left = alone.left;
  Lanes lanes = run.before;
  run.came = hop == 0 ? over_first(run, lanes.first, run.left) : at;
  run.entered = over_second(run, lanes.second, run.came);
  run.batch = batch_of(run);
  inbox.withdraw(packet);
  if (!fabric_->flights_->enter(packet, entry_of(run))) {
    packet.hop = hop;
    packet.port = hop == 0 ? 0 : run.first->port;
    packet.late = 0;
    packet.paced = false;
    packet.head = at.head;
    packet.tail = at.tail;
    inbox.put_back(packet.head, packet);
    return false;
  }
  run.first->lane = lanes.first;
  run.second->lane = lanes.second;
  hold(run);
  return true;
}

void PacedRuns::reserve(const Run& run, const Reached& packets) const {
  const auto pass = [&run](Lane& lane, const Edge& at, Time delay, std::int64_t count) {
    if (count == 0) return;
    (void)lane.reserve_run(at.head + delay, at.tail + delay, run.gap, count, run.size,
                           lane.rate().serialization(run.size));
  };
  const Edge read{run.turn, run.turn};
  pass(*source_.port, read, source_.latency, packets.turned);
  pass(run.first->lane, run.left, fabric_->component(source_.memory).overhead(), packets.left);
  pass(run.second->lane, run.came, fabric_->component(source_.unit).overhead(), packets.came);
}

bool PacedRuns::crosses_now() const {
  const Time now = fabric_->sim().now();
  return std::ranges::any_of(runs_, [now](const Run& run) {
    const Time since = now - run.came.head;
    return since >= Time{0} && since <= (run.count - 1) * run.gap && since % run.gap == Time{0};
  });
}

bool PacedRuns::holds() {
  drop_past();
  return !runs_.empty();
}

void PacedRuns::drop_past() {
  const Time now = fabric_->sim().now();
  const auto crosses = [now](const Run& run) { return run.came.head + (run.count - 1) * run.gap >= now; };
  const auto first = std::ranges::find_if(runs_, crosses);
  if (first == runs_.begin()) return;
  PoolVector<Run> rest{first, runs_.end()};
  (void)release();
  for (const Run& run : rest) hold(run);
}

PoolVector<PacedRuns::Run> PacedRuns::release() {
  PoolVector<Run> runs = std::exchange(runs_, {});
  for (const Run& run : runs) run.first->hold = run.second->hold = nullptr;
  if (runs.empty()) return runs;
  std::vector<PacedRuns*>& all = fabric_->runs_;
  all[place_] = all.back();
  all[place_]->place_ = place_;
  all.pop_back();
  return runs;
}

// From the back, as lanes were reserved. Nothing was reserved behind what hasn't happened.
void PacedRuns::end(bool present, const LiveLink* met, const Packet* packet) {
  const PoolVector<Run> runs = release();
  for (const Run& run : std::views::reverse(runs)) {
    const Reached by_now = reached(run, present, met, packet);
    if (by_now.turned < run.count) *source_.port = run.before.port;
    if (by_now.left < run.count) run.first->lane = run.before.first;
    if (by_now.came < run.count) run.second->lane = run.before.second;
    reserve(run, {.turned = by_now.turned < run.count ? by_now.turned : 0,
                  .left = by_now.left < run.count ? by_now.left : 0,
                  .came = by_now.came < run.count ? by_now.came : 0});
    if (by_now.came < run.count) go_on(run, by_now);
  }
  std::ranges::sort(alone_, {}, [](const Alone& one) { return one.left.head; });
}

// What passes the port now does so with the first batch.
PacedRuns::Reached PacedRuns::reached(const Run& run, bool present, const LiveLink* met,
                                      const Packet* packet) const {
  const std::uint32_t batch = fabric_->sim().scheduler().batch();
  const auto crossed = [&](const Edge& at, std::uint32_t with, const LiveLink* link, std::uint32_t port) {
    const bool together = link == met && batch == with;
    return by_now(run, at.head, together ? comes_first(run, at, port, *packet) : batch >= with);
  };
  return {.turned = turned(run, present),
          .left = crossed(run.left, 1, run.first, 0),
          .came = crossed(run.came, run.batch, run.second, run.first->port)};
}

// The first has its turn when the run begins.
std::int64_t PacedRuns::turned(const Run& run, bool present) const {
  return std::max<std::int64_t>(1, by_now(run, run.turn, present));
}

std::int64_t PacedRuns::by_now(const Run& run, Time first, bool present) const {
  return count_before(first, run.gap, static_cast<std::uint32_t>(run.count), fabric_->sim().now(), present);
}

// If one comes there now.
bool PacedRuns::comes_first(const Run& run, const Edge& at, std::uint32_t port, const Packet& packet) const {
  const Time since = fabric_->sim().now() - at.head;
  if (since < Time{0} || since > (run.count - 1) * run.gap || since % run.gap != Time{0}) return true;
  Packet one;
  one.message = run.message;
  one.head = fabric_->sim().now();
  one.port = port;
  one.ordinal = run.ordinal + static_cast<std::uint32_t>(since / run.gap);
  return arrives_before(&one, &packet);
}

void PacedRuns::go_on(const Run& run, const Reached& from) {
  Message& message = *run.message;
  fabric_->flights_->leave_out(message, 2, run.ordinal + static_cast<std::uint32_t>(from.came));
  const std::int64_t unsent = run.count - from.turned;
  if (unsent > 0) {  // else others of the message may have left behind them
    message.injected -= static_cast<std::uint32_t>(unsent);
    message.source_tail = run.left.tail + (from.turned - 1) * run.gap;
    fabric_->under_way_ += (from.turned + run.count - 1) * unsent / 2 * run.gap + unsent * run.left.head;
  }
  for (std::int64_t i = from.came; i < from.left; ++i) go_on(run, i, 1, run.came);
  for (std::int64_t i = from.left; i < from.turned; ++i) go_on(run, i, 0, run.left);
}

// By an event, from there.
void PacedRuns::go_on(const Run& run, std::int64_t i, std::uint32_t hop, const Edge& from) {
  Packet& packet = fabric_->allocate();
  packet = {.message = run.message,
            .size = run.size,
            .head = from.head + i * run.gap,
            .tail = from.tail + i * run.gap,
            .hop = hop,
            .port = hop == 0 ? 0 : run.first->port,
            .ordinal = run.ordinal + static_cast<std::uint32_t>(i),
            .injected = run.left.head + i * run.gap};
  goes_alone(packet, {run.left.head + i * run.gap, run.left.tail + i * run.gap});
  fabric_->component(hop == 0 ? source_.memory : source_.unit).inbox().post(packet.head, packet);
}

}  // namespace kbsim::hw
