#include "burst.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"

#include "../trains/reservations.hpp"
#include "../trains/timetable.hpp"

namespace kbsim::hw {
namespace {

bool is_plain(const LiveLink& link) {
  return link.from_switch() == nullptr && link.credits() == nullptr && link.border() == nullptr;
}

}  // namespace

PacedRuns::PacedRuns(Fabric& fabric, const Source& source, ILinkClaim& holder)
    : fabric_{&fabric},
      reservations_{&Reservations::of(fabric)},
      source_{source},
      holder_{&holder},
      over_memory_{fabric.component(source.memory).overhead()},
      over_unit_{fabric.component(source.unit).overhead()} {}

std::int64_t PacedRuns::begin(const Turns& turns) {
  drop_past();
  if (!can_reserve(*turns.message) || (turns.other != nullptr && !can_reserve(*turns.other)) || !takes_over())
    return 0;
  Run run = run_of(turns);
  run.turn = fabric_->sim().now();
  run.gap = turns.gap;
  if (run.ways > 1 && run.parts[0].second == run.parts[1].second) return 0;
  Servers servers = servers_of(run);
  pass_first(run, servers);
  if (turns.most > 1 && !paces(run, servers)) return 0;
  enter(run, turns.most);
  if (run.count == 0) return 0;
  if (turns.shorter > 0_B && run.count == turns.most) enter_shorter(run, turns.shorter);
  reserve(run, {.turned = run.count, .left = run.count, .came = run.count});
  hold(run);
  return run.count;
}

// The second of two messages has the same number of turns as the first, or one less.
void PacedRuns::enter(Run& run, std::int64_t most) {
  std::array<std::int64_t, kMostParts> reserved{};
  for (std::size_t i = 0; i < run.all().size(); ++i) {
    const Edge left = later(run.left, static_cast<std::int64_t>(i) * run.gap);
    const PacketRun leaving{.size = run.size,
                            .head = left.head,
                            .tail = left.tail,
                            .gap = run.ways * run.gap,
                            .count = run.among(most, i)};
    reserved[i] = reservations_->enter(*run.parts[i].message, leaving, entry_of(run, i));
    if (reserved[i] == 0) break;
  }
  run.count = run.ways == 1 ? reserved[0] : std::min(2 * reserved[0], 2 * reserved[1] + 1);
  for (std::size_t i = 0; i < run.all().size(); ++i) {
    const std::int64_t taken = std::min(reserved[i], run.among(run.count, i));
    if (taken == reserved[i]) continue;
    leave_out(run, i, taken);
    unsend(run, i, taken, reserved[i]);
  }
}

// Adds the shorter packet after the others, if it waits no differently.
void PacedRuns::enter_shorter(Run& run, Bytes size) const {
  Part& part = run.parts[0];
  const Time behind = run.count * run.gap;
  const auto server = [&](const Lane& lane, const Edge& passed, Time wire) {
    return Server{.free = passed.tail - wire + behind - run.gap, .service = lane.rate().serialization(size)};
  };
  Server port = server(*source_.port, run.left, Time{0});
  Server first = server(run.first->lane, run.came, run.first->wire);
  Server second = server(part.second->lane, part.entered, part.second->wire);
  const Edge left = over_port(port, run.turn + behind);
  const Edge came = over_first(run, first, left);
  const Edge entered = over_second(part, second, came);
  const auto follows = [behind](const Edge& one, const Edge& last) { return last.head - one.head == behind; };
  if (!follows(run.left, left) || !follows(run.came, came) || !follows(part.entered, entered)) return;
  const PacketRun leaving{.size = size, .head = left.head, .tail = left.tail, .gap = run.gap, .count = 1};
  RunEntry entry = entry_of(run, 0);
  entry.head = entered.head;
  entry.tail = entered.tail;
  if (reservations_->enter(*part.message, leaving, entry) == 0) return;
  run.shorter = {
      .size = size, .left = run.left.tail + behind - left.tail, .came = run.came.tail + behind - came.tail};
  ++run.count;
}

bool PacedRuns::can_reserve(const Message& message) const {
  const std::span<const LinkId> route = message.route;
  if (fabric_->shortcut() == nullptr || source_.latency <= Time{0} || route.size() < 3) return false;
  const LiveLink& first = fabric_->live(route[0]);
  const LiveLink& second = fabric_->live(route[1]);
  const auto is_free = [this](const LiveLink& link) {
    return is_plain(link) && (link.claimed == 0 || reservations_->claim(link) == holder_);
  };
  return first.to == source_.unit && second.arrivals != nullptr && is_free(first) && is_free(second);
}

PacedRuns::Run PacedRuns::run_of(const Turns& turns) const {
  const auto part_of = [this](Message& message) {
    return Part{.message = &message,
                .second = &fabric_->live(message.route[1]),
                .ordinal = message.injected,
                .tail = message.source_tail};
  };
  Run run{.size = turns.size, .first = &fabric_->live(turns.message->route[0])};
  run.parts[0] = part_of(*turns.message);
  run.before = {*source_.port, run.first->lane, {run.parts[0].second->lane}};
  if (turns.other == nullptr) return run;
  run.ways = 2;
  run.parts[1] = part_of(*turns.other);
  run.before.seconds[1] = run.parts[1].second->lane;
  return run;
}

RunEntry PacedRuns::entry_of(const Run& run, std::size_t part) {
  const Edge& entered = run.parts[part].entered;
  const Time lag = entered.head - run.came.head - static_cast<std::int64_t>(part) * run.gap;
  return {.hop = 2,
          .head = entered.head,
          .tail = entered.tail,
          .lag = lag,
          .batch = run.batch,
          .late = static_cast<std::uint8_t>(lag > Time{0} ? 0 : run.batch + 1)};
}

void PacedRuns::hold(const Run& run) {
  hold_links(run, holder_);
  if (runs_.empty()) {
    place_ = reservations_->claims().add(*this);
  }
  runs_.push_back(run);
}

PacedRuns::Servers PacedRuns::servers_of(const Run& run) {
  const auto server = [&run](const Lane& lane) {
    return Server{.free = lane.free(), .service = lane.rate().serialization(run.size)};
  };
  Servers servers{.port = server(run.before.port), .first = server(run.before.first)};
  for (std::size_t i = 0; i < run.all().size(); ++i) servers.seconds[i] = server(run.before.seconds[i]);
  return servers;
}

void PacedRuns::pass_first(Run& run, Servers& servers) const {
  run.left = over_port(servers.port, run.turn);
  run.came = over_first(run, servers.first, run.left);
  for (std::size_t i = 0; i < run.all().size(); ++i) {
    Part& part = run.parts[i];
    const Edge came = later(run.came, static_cast<std::int64_t>(i) * run.gap);
    part.entered = over_second(part, servers.seconds[i], came);
  }
  run.batch = batch_of(run);
}

// Packets leave the port in the first batch of a time. They arrive at the unit in the second batch if that is
// the same time, else in the first.
std::uint32_t PacedRuns::batch_of(const Run& run) { return run.came.head == run.left.head ? 2 : 1; }

// True if all packets pass the port and the first link at the pace of the first two. On the second link the
// first two of each message set the pace.
bool PacedRuns::paces(const Run& run, Servers servers) const {
  const auto follows = [](const Edge& a, const Edge& b, Time by) {
    return b.head - a.head == by && b.tail - a.tail == by;
  };
  const Edge left = over_port(servers.port, run.turn + run.gap);
  const Edge came = over_first(run, servers.first, left);
  if (!follows(run.left, left, run.gap) || !follows(run.came, came, run.gap)) return false;
  const Time step = run.ways * run.gap;
  for (std::size_t i = 0; i < run.all().size(); ++i) {
    const Edge next = later(run.came, static_cast<std::int64_t>(i) * run.gap + step);
    const Edge entered = over_second(run.parts[i], servers.seconds[i], next);
    if (!follows(run.parts[i].entered, entered, step)) return false;
  }
  return true;
}

PacedRuns::Edge PacedRuns::over_port(Server& server, Time turn) const {
  const Time read = turn + source_.latency;
  return server.pass(read, read);
}

PacedRuns::Edge PacedRuns::over_first(const Run& run, Server& server, const Edge& left) const {
  return later(server.pass(left.head + over_memory_, left.tail + over_memory_), run.first->wire);
}

PacedRuns::Edge PacedRuns::over_second(const Part& part, Server& server, const Edge& came) const {
  return later(server.pass(came.head + over_unit_, came.tail + over_unit_), part.second->wire);
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

// Packets on their way by events are reserved from now on. Other packets arrive at the unit, at the latest, a
// wire delay after the first link is free.
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

// Packet and message objects are reused, by any source.
bool PacedRuns::is_between(const Alone& one) const {
  const Packet& packet = *one.packet;
  return packet.message == one.message && one.message->from == source_.memory &&
         one.message->sequence == one.sequence && packet.ordinal == one.ordinal && packet.hop < 2;
}

// Reserves from where the packet is: before the first link or before the second.
bool PacedRuns::takes_over(const Alone& alone) {
  Packet& packet = *alone.packet;
  if (!can_reserve(*packet.message)) return false;
  const std::uint32_t hop = packet.hop;
  const Edge at{packet.head, packet.tail};
  Inbox<Packet>& inbox = fabric_->component(hop == 0 ? source_.memory : source_.unit).inbox();
  Run run = run_of({.message = packet.message, .size = packet.size});
  Part& part = run.parts[0];
  part.ordinal = packet.ordinal;
  run.count = 1;
  run.left = alone.left;
  Servers servers = servers_of(run);
  run.came = hop == 0 ? over_first(run, servers.first, run.left) : at;
  part.entered = over_second(part, servers.seconds[0], run.came);
  run.batch = batch_of(run);
  inbox.withdraw(packet);
  if (!reservations_->enter(packet, entry_of(run, 0))) {
    packet.hop = hop;
    packet.port = hop == 0 ? 0 : run.first->port;
    packet.late = 0;
    packet.paced = false;
    packet.head = at.head;
    packet.tail = at.tail;
    inbox.put_back(packet.head, packet);
    return false;
  }
  reserve(run, {.left = hop == 0 ? 1 : 0, .came = 1});
  hold(run);
  return true;
}

// The first packet is there at `at`. The last may have a size of its own, and its tail is earlier by
// `sooner`.
[[gnu::always_inline]] inline void PacedRuns::pass(const Run& run, Lane& lane, const Edge& at,
                                                   std::int64_t count, Time gap, Bytes last, Time sooner) {
  if (count <= 0) return;
  const std::int64_t alike = last > 0_B ? count - 1 : count;
  if (alike > 0)
    (void)lane.reserve_run(at.head, at.tail, gap, alike, run.size, lane.rate().serialization(run.size));
  if (last > 0_B) [[unlikely]]
    (void)lane.reserve(at.head + alike * gap, at.tail + alike * gap - sooner, last);
}

// Reserves for the packets of a part that have crossed, except those that `before` already has.
[[gnu::always_inline]] inline void PacedRuns::reserve_second(const Run& run, std::size_t part, Lane& lane,
                                                             std::int64_t crossed) const {
  const std::int64_t settled = run.parts[part].settled;
  const Edge came = later(run.came, (settled * run.ways + static_cast<std::int64_t>(part)) * run.gap);
  const Bytes last = run.is_shorter(crossed - 1) ? run.shorter.size : 0_B;
  pass(run, lane, later(came, over_unit_), crossed - settled, run.ways * run.gap, last, run.shorter.came);
}

void PacedRuns::reserve(const Run& run, const Reached& packets) const {
  const auto last = [&run](std::int64_t n) { return run.is_shorter(n - 1) ? run.shorter.size : 0_B; };
  const Edge read{run.turn, run.turn};
  pass(run, *source_.port, later(read, source_.latency), packets.turned, run.gap, last(packets.turned),
       Time{0});
  pass(run, run.first->lane, later(run.left, over_memory_), packets.left, run.gap, last(packets.left),
       run.shorter.left);
  for (std::size_t i = 0; i < run.all().size(); ++i)
    reserve_second(run, i, run.parts[i].second->lane, run.among(packets.came, i));
}

// The packet crosses after some packets of a run, and before all others.
std::optional<Lane::Slot> PacedRuns::between(LiveLink& link, const Packet& packet, Time overhead) {
  const Time now = fabric_->sim().now();
  if (packet.leads || crosses_now()) return std::nullopt;
  const auto passes = [now](const Run& run) { return run.came.head + (run.count - 1) * run.gap >= now; };
  const auto run = std::ranges::find_if(runs_, passes);
  const Time head = packet.head + overhead;
  const Time tail = packet.tail + overhead;
  if (run == runs_.end()) return link.lane.reserve(head, tail, packet.size);
  const std::size_t part = part_of(*run, link);
  if (part == run->all().size()) return std::nullopt;
  const std::int64_t crossed = run->among(by_now(*run, run->came.head, false), part);
  const std::int64_t next = crossed * run->ways + static_cast<std::int64_t>(part);
  const bool is_last = next >= run->count;
  if (is_last && std::next(run) != runs_.end()) return std::nullopt;
  Lane then = run->before.seconds[part];
  reserve_second(*run, part, then, crossed);
  const Lane::Slot slot = then.reserve(head, tail, packet.size);
  if (!is_last && slot.end > run->came.head + next * run->gap + over_unit_) return std::nullopt;
  run->before.seconds[part] = then;
  run->parts[part].settled = crossed;
  if (is_last) {
    link.lane = then;
    return slot;
  }
  link.lane.note(packet.size, head, slot.start);
  for (Run& behind : std::ranges::subrange{std::next(run), runs_.end()}) {
    const std::size_t its = part_of(behind, link);
    if (its < behind.all().size()) behind.before.seconds[its].note(packet.size, head, slot.start);
  }
  return slot;
}

// Index of the part that uses the link; the number of parts if none does.
std::size_t PacedRuns::part_of(const Run& run, const LiveLink& link) {
  return static_cast<std::size_t>(std::ranges::find(run.all(), &link, &Part::second) - run.all().begin());
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
  for (const Run& run : std::ranges::subrange{runs_.begin(), first}) hold_links(run, nullptr);
  runs_.erase(runs_.begin(), first);
  for (const Run& run : runs_) hold_links(run, holder_);
  if (runs_.empty()) reservations_->claims().drop_burst(place_);
}

// Links out of a memory or a DMA are never shadowed.
void PacedRuns::hold_links(const Run& run, ILinkClaim* holder) {
  reservations_->set_claim(*run.first, holder);
  for (const Part& part : run.all()) reservations_->set_claim(*part.second, holder);
}

}  // namespace kbsim::hw
