#include "reservations.hpp"

#include <algorithm>
#include <iterator>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

std::uint32_t route_end(const Packet& packet) {
  return static_cast<std::uint32_t>(packet.message->route.size());
}

bool more_follow(const Packet& packet) { return packet.ordinal + 1 < packet.message->packets; }

}  // namespace

// A link between processes is known to both of them.
Reservations::Reservations(Fabric& fabric) : fabric_{fabric}, is_whole_{fabric.is_whole()} {
  for (LiveLink& link : fabric.live_links()) {
    if (link.border() != nullptr && link.ahead == nullptr) (void)look_ahead(link);
  }
}

LinkAhead& Reservations::look_ahead(LiveLink& link) {
  Component& from = fabric_.component(link.from);
  const bool is_leaf = fabric_.graph().out(link.from).size() == 1 && fabric_.inputs(link.from) == 1;
  const bool crosses = link.border() != nullptr;  // packets that were handed over can't be revoked
  link.ahead = &ahead_.emplace_back();
  link.ahead->passes_on = fabric_.arrivals(link.from) != nullptr && !crosses;
  link.ahead->is_source = is_leaf && from.contract().only_answers && fabric_.goes_at_once(link) && !crosses;
  link.ahead->overhead = from.overhead();
  if (!crosses) find_end(link);
  return *link.ahead;
}

// The next packets reserve no further. Their number doubles with each costly revocation, up to a limit.
void BackOff::grow() {
  constexpr std::uint8_t kMostLevel = 4;
  pause_ = static_cast<std::uint16_t>(1U << level_);
  if (level_ < kMostLevel) ++level_;
  tries_ = 0;
}

bool BackOff::pauses() {
  constexpr std::uint32_t kTries = 16;  // packets without a pause until the next one is halved
  if (pause_ > 0) return --pause_, true;
  if (level_ > 0 && ++tries_ == kTries) --level_, tries_ = 0;
  return false;
}

void Reservations::arrive(Packet& packet, LiveLink& ingress) {
  if (ingress.arrivals == nullptr) return arrive_at_end(packet, ingress);
  Ahead& here = ahead(ingress);
  if (joins(packet, here.train)) return;
  go_on(packet, &ingress, nullptr, here.train, {.head = packet.head, .tail = packet.tail});
}

// Packets of one time leave in an order that depends on their content, so all of them leave by events.
bool Reservations::leave(Packet& packet) {
  LiveLink& link = fabric_.next_link(packet);
  Ahead& there = ahead(link);
  if (!there.is_source) return false;
  if (packet.head <= fabric_.sim().now() || !leaves_last(packet, link, there) ||
      there.own_back_off.pauses()) {
    there.posted = std::max(there.posted, packet.head);
    return false;
  }
  if (joins(packet, there.own_train)) return true;
  Train* const train = more_follow(packet) ? &begin(packet, there.own_train) : nullptr;
  const Passage at_first{.head = packet.head, .tail = packet.tail};
  reserve_link(packet, link, there, train);
  go_on(packet, &link, train, there.own_train, at_first);
  return true;
}

// A packet that leaves by an event revokes the reservations after it.
bool Reservations::leaves_last(const Packet& packet, LiveLink& link, Ahead& there) {
  serve_before(link, there, fabric_.sim().now(), 1);
  bool last = there.posted < fabric_.sim().now();
  while (link.reserved > 0) {
    const Reservation& back = there.reservations.back();
    if (back.head(count(back) - 1) < packet.head) break;
    revoke_last(link, there);
    last = false;
  }
  notify_claims();
  return last;
}

// Prefetches the state of the next links of the route, which is scattered in memory. For the farthest link it
// fetches only the LiveLink, which points to the rest. Links of another process are not read.
[[gnu::always_inline]] inline void Reservations::fetch_ahead(const Packet& packet) {
  const std::span<const LinkId> route = packet.message->route;
  const auto link_at = [&](std::uint32_t hop) -> LiveLink* {
    return hop < route.size() ? &fabric_.live(route[hop]) : nullptr;
  };
  const auto own_at = [&](std::uint32_t hop) -> LiveLink* {
    LiveLink* const link = link_at(hop);
    const bool is_ours = link != nullptr && (is_whole_ || &fabric_.owner(link->from) == &fabric_);
    return is_ours ? link : nullptr;
  };
  if (const LiveLink* const link = link_at(packet.hop + 3)) {
    __builtin_prefetch(link);
    __builtin_prefetch(&link->ahead);
  }
  if (const LiveLink* const link = own_at(packet.hop + 2); link != nullptr && link->ahead != nullptr) {
    __builtin_prefetch(&link->ahead->reservations);
    __builtin_prefetch(&link->ahead->back_off);
  }
  if (LiveLink* const link = own_at(packet.hop + 1); link != nullptr && link->reserved > 0) {
    __builtin_prefetch(link->ahead->reservations.begin());
    __builtin_prefetch(&link->ahead->reservations.begin()->size);
  }
}

// Reserves from the end of `ingress` on, as far as possible.
void Reservations::go_on(Packet& packet, LiveLink* ingress, Train* train, Train*& keeper,
                         const Passage& at_first) {
  while (ingress->arrivals != nullptr) {
    fetch_ahead(packet);
    const bool goes_on = !fabric_.at_end(packet) && !ahead(*ingress).back_off.pauses() &&
                         !ingress->arrivals->expects_many(ingress->port - 1);
    LiveLink* const link = goes_on ? &fabric_.next_link(packet) : nullptr;
    if (link == nullptr) break;
    if (!may_reserve(packet, *link, ahead(*link)) && !revokes_few(packet, *link, ahead(*link))) {
      if (train != nullptr || more_follow(packet) || !reserves_between(packet, *link, ahead(*link))) break;
    } else {
      if (train == nullptr && (more_follow(packet) || packet.paced)) train = &begin(packet, keeper);
      reserve_link(packet, *link, ahead(*link), train);
    }
    ingress = &ingress_of(packet);
  }
  if (train != nullptr) {
    train->to = packet.hop;
    train->last = {.head = at_first.head, .tail = at_first.tail, .start = packet.head, .end = packet.tail};
  }
  end_route(packet, *ingress, train);
}

// If the first packet of a train is unobserved, all others are, too, except the last of the message.
void Reservations::end_route(Packet& packet, LiveLink& ingress, Train* train) {
  if (train == nullptr) return arrive_at_end(packet, ingress);
  Ahead& there = ahead(ingress);
  train->unobserved = is_unobserved(packet, there);
  if (!train->unobserved) {
    train->packets.set(0, packet);
    return arrive_at_end(packet, ingress);
  }
  there.reservations.back().ends = true;
  fabric_.free(packet);
}

void Reservations::arrive_at_end(Packet& packet, LiveLink& ingress) {
  if (ingress.arrivals != nullptr) return ingress.arrivals->push(ingress.port - 1, packet);
  if (!arrives_unobserved(packet, ingress) && !is_accepted_at_once(packet, ingress))
    fabric_.arrive_by_event(packet, ingress);
}

bool Reservations::may_reserve(const Packet& packet, LiveLink& link, Ahead& there) {
  if (!there.passes_on || link.claimed != 0) return false;
  if (link.reserved > 0) serve_before(link, there, fabric_.sim().now(), 0);
  return link.reserved == 0 || is_after_all(packet, there);
}

// True if the packet is the first of many, and it was enough to revoke one or two packets that are reserved
// alone. These arrive by events, and the many are reserved again after each of them.
bool Reservations::revokes_few(const Packet& packet, LiveLink& link, Ahead& there) {
  constexpr std::uint32_t kMany = 8;
  constexpr int kFew = 2;
  if (!there.passes_on || link.claimed != 0 || packet.message->packets - packet.ordinal < kMany) return false;
  for (int i = 0; i < kFew; ++i) {
    if (!is_alone(there.reservations.back())) return false;
    revoke_last(link, there);
    if (may_reserve(packet, link, there)) return true;
  }
  return false;
}

// True if no packet is reserved after this one, on any link of its route.
bool Reservations::is_alone(const Reservation& reservation) {
  if (reservation.train != nullptr || reservation.hop == 0 || reservation.served > 0) return false;
  for (std::uint32_t hop = reservation.hop; hop < reservation.packet->hop; ++hop) {
    Ahead& there = ahead(fabric_.live(reservation.packet->message->route[hop]));
    InOrder<Reservation>& others = there.reservations;
    if (there.is_shadowed && others.empty()) continue;
    if (others.empty() || others.back().packet != reservation.packet || others.back().train != nullptr)
      return false;
  }
  return true;
}

// Reserves between two reservations if no reserved packet waits for this one.
bool Reservations::reserves_between(Packet& packet, LiveLink& link, Ahead& there) {
  constexpr std::ptrdiff_t kFew = 8;
  if (packet.paced || !there.passes_on || link.claimed != 0 || link.reserved == 0) return false;
  const ArrivalRank own_rank = rank(packet.late, packet.port);
  const auto is_before = [&](const Reservation& other) {
    const std::uint32_t packets = count(other);
    return other.served == packets || other.before(packets - 1, packet.head, own_rank);
  };
  auto next = there.reservations.end();
  while (next != there.reservations.begin() && !is_before(*std::prev(next))) {
    --next;
    if (next->before(next->served, packet.head, own_rank) || there.reservations.end() - next > kFew)
      return false;
  }
  if (next == there.reservations.end()) return false;
  const Time service = link.lane.rate().serialization(packet.size);
  const Passage own = passage(packet, there.overhead, free(link, there, next), service);
  if (own.end > next->start(next->served)) return false;
  if (next->served > 0) split(there, *next);
  Reservation reservation = reservation_of(packet, own, service, nullptr);
  cross(packet, link, own);
  cross_shadowed(packet, reservation, route_end(packet));
  there.reservations.insert(next, reservation);
  ++link.reserved;
  return true;
}

void Reservations::reserve_link(Packet& packet, LiveLink& link, Ahead& there, Train* train) {
  const Time service = link.lane.rate().serialization(packet.size);
  const Passage first = passage(packet, there.overhead, free(link, there), service);
  if (link.reserved > 0) close_last(link, there);
  there.reservations.push_back(reservation_of(packet, first, service, train));
  ++link.reserved;
  if (train != nullptr) ++train->reservations;
  cross(packet, link, first);
  cross_shadowed(packet, there.reservations.back(), route_end(packet));
}

Reservation Reservations::reservation_of(Packet& packet, const Passage& first, Time service, Train* train) {
  return {.packet = &packet,
          .train = train,
          .first = first,
          .service = service,
          .size = packet.size,
          .port = packet.port,
          .late = packet.late,
          .hop = static_cast<std::uint16_t>(packet.hop)};
}

Passage Reservations::passage(const Packet& packet, Time overhead, Time free, Time service) {
  const Time start = std::max(packet.head + overhead, free);
  return {.head = packet.head,
          .tail = packet.tail,
          .start = start,
          .end = std::max(start + service, packet.tail + overhead)};
}

void Reservations::cross(Packet& packet, const LiveLink& link, const Passage& passage) {
  packet.head = passage.start + link.wire;
  packet.tail = passage.end + link.wire;
  packet.port = link.port;
  packet.late = 0;
  packet.paced = false;
  ++packet.hop;
}

std::uint32_t Reservations::count(const Reservation& reservation) {
  if (reservation.train == nullptr) return 1;
  return std::min(reservation.limit, reservation.train->count);
}

// The hop at which the packet arrives by an event, or at its end.
std::uint32_t Reservations::end_hop(const Reservation& reservation, std::uint32_t index) {
  if (reservation.train == nullptr) return reservation.packet->hop;
  const Packet* const known = reservation.train->known(index);
  return known != nullptr ? known->hop : reservation.train->to;
}

Time Reservations::free(const LiveLink& link, Ahead& there) {
  return free(link, there, there.reservations.end());
}

// When all packets before `next` are served. After packets whose time is past, others may have gone by
// events.
Time Reservations::free(const LiveLink& link, Ahead& there, InOrder<Reservation>::Place next) {
  if (next == there.reservations.begin()) return link.lane.free();
  const Reservation& last = *std::prev(next);
  const std::uint32_t packets = count(last);
  return last.served == packets ? link.lane.free() : last.end(packets - 1);
}

// Serves `packets` packets of one size, from `i` on.
[[gnu::always_inline]] inline void Reservations::serve_alike(LiveLink& link, const Ahead& there,
                                                             const Reservation& reservation, std::uint32_t i,
                                                             std::uint32_t packets, Bytes size,
                                                             Time service) {
  const Time head = reservation.head(i) + there.overhead;
  const Time tail = reservation.tail(i) + there.overhead;
  if (there.is_shadowed) [[unlikely]]
    link.lane.pass_run(head, reservation.end(i + packets - 1), reservation.gap, packets, size, service);
  else if (packets == 1)
    (void)link.lane.reserve(head, tail, size, service);
  else
    (void)link.lane.reserve_run(head, tail, reservation.gap, packets, size, service);
}

void Reservations::serve_shorter(LiveLink& link, const Ahead& there, const Reservation& reservation) {
  const Bytes size = reservation.train->last_size;
  serve_alike(link, there, reservation, reservation.shorter, 1, size, link.lane.rate().serialization(size));
}

// Serves the next packets of a train.
[[gnu::always_inline]] inline void Reservations::serve_run(LiveLink& link, Ahead& there,
                                                           const Reservation& reservation,
                                                           std::uint32_t packets) {
  const std::uint32_t first = reservation.served;
  const bool with_shorter = first + packets - 1 == reservation.shorter;
  const std::uint32_t alike = packets - (with_shorter ? 1 : 0);
  if (alike > 0) serve_alike(link, there, reservation, first, alike, reservation.size, reservation.service);
  if (with_shorter) serve_shorter(link, there, reservation);
  if (!reservation.ends) return;
  const std::uint32_t ordinal = reservation.train->ordinal + first;
  const bool with_last = ordinal + packets == reservation.train->message->packets;
  if (with_last && packets == 1) return;
  pass_unobserved(there, {.message = reservation.train->message,
                          .size = reservation.size,
                          .head = reservation.first.start + first * reservation.step + link.wire,
                          .tail = reservation.end(first) + link.wire,
                          .gap = reservation.step,
                          .ordinal = ordinal,
                          .count = packets - (with_last ? 1 : 0)});
}

// Serves the packets of the first train that arrive before this time and rank. False if some are left, or may
// be added: a train that may grow keeps its reservations.
[[gnu::always_inline]] inline bool Reservations::serve_train(LiveLink& link, Ahead& there, Time at,
                                                             ArrivalRank other) {
  Reservation& reservation = there.reservations.front();
  const std::uint32_t packets = count(reservation);
  if (reservation.served < packets) {
    const std::uint32_t past =
        count_before(reservation.head(reservation.served), reservation.gap, packets - reservation.served, at,
                     rank(reservation.late, reservation.port) < other);
    if (past > 0) serve_run(link, there, reservation, past);
    reservation.served += past;
  }
  if (reservation.served < packets || reservation.train->open) return false;
  drop_front(link, there);
  return true;
}

// Serves all packets that arrive before this time and rank, as they would have been served on arrival.
void Reservations::serve_before(LiveLink& link, Ahead& there, Time at, ArrivalRank other) {
  while (link.reserved > 0) {
    const Reservation& first = there.reservations.front();
    if (first.train != nullptr) {
      if (!serve_train(link, there, at, other)) return;
      continue;
    }
    if (!first.before(0, at, other)) return;
    if (there.is_shadowed) [[unlikely]]
      link.lane.pass_run(first.first.start, first.first.end, Time{0}, 1, first.size, first.service);
    else
      (void)link.lane.reserve(first.first.head + there.overhead, first.first.tail + there.overhead,
                              first.size, first.service);
    there.reservations.front().served = 1;
    drop_front(link, there);
  }
}

bool Reservations::none_on(LiveLink& link) {
  if (has_shadowed_packets(link)) return false;
  if (link.reserved > 0) serve_before(link, ahead(link), fabric_.sim().now(), 0);
  if (link.reserved > 0) return false;
  if (link.merges != 0) merge(link, fabric_.sim().now(), 0);
  if (link.ahead == nullptr || link.ahead->end == Ahead::End::observed) return true;
  if (link.ahead->end == Ahead::End::passed)
    merge(*link.ahead->downstream, fabric_.sim().now(), 0);
  else
    catch_up(link);
  return link.ahead->unobserved.empty();
}

bool Reservations::is_free(LiveLink& link) {
  return link.claimed == 0 && link.from_switch() == nullptr && link.credits() == nullptr && none_on(link);
}

IShortcut::Meeting Reservations::before(LiveLink& link, const Packet& packet, Time overhead) {
  Meeting meeting;
  if (link.claimed != 0) [[unlikely]]
    meeting.slot = link.ahead->claim->yield(link, packet, overhead);
  if (link.merges != 0) [[unlikely]]
    merge(link, packet);
  meeting.reserves_again = link.reserved > 0 && revoke_after(link, packet);
  return meeting;
}

void Reservations::flush() {
  claims_.end();
  claims_.end_bursts();
  serve_past();
}

void Reservations::flush(NodeId node) {
  claims_.end();
  for (const LinkId out : fabric_.graph().out(node)) {
    if (ILinkClaim* const holder = claim(fabric_.live(out))) holder->flush();
  }
  if (fabric_.shortcut() != nullptr) catch_up(node);
}

void Reservations::flush(LiveLink& link) {
  claims_.end();
  (void)is_free(link);
}

// Once at each time is enough: packets reserved at this time arrive later.
void Reservations::serve_past() {
  if (served_ == fabric_.sim().now()) return;
  served_ = fabric_.sim().now();
  for (LiveLink& link : fabric_.live_links()) {
    const bool is_ours = link.reserved > 0 && &fabric_.owner(link.from) == &fabric_;
    if (is_ours) serve_before(link, ahead(link), fabric_.sim().now(), 0);
    if (link.merges != 0 && &fabric_.owner(link.from) == &fabric_) merge(link, fabric_.sim().now(), 0);
  }
  for (LiveLink& link : fabric_.live_links()) {
    if (link.ahead != nullptr && &fabric_.owner(link.from) == &fabric_) show_passing(link, *link.ahead);
  }
  for (LiveLink& link : fabric_.live_links()) {
    if (link.ahead != nullptr && &fabric_.owner(link.to) == &fabric_) catch_up(link);
  }
}

}  // namespace kbsim::hw
