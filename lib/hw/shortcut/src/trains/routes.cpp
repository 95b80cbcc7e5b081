#include "routes.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "kbsim/hw/fabric/component.hpp"

#include "crossing.hpp"
#include "reservations.hpp"

namespace kbsim::hw {
namespace {

std::uint32_t route_end(const Packet& packet) {
  return static_cast<std::uint32_t>(packet.message->route.size());
}

bool more_follow(const Packet& packet) { return packet.ordinal + 1 < packet.message->packets; }

}  // namespace

void Routes::arrive(Packet& packet, LiveLink& ingress) {
  if (ingress.arrivals == nullptr) return arrive_at_end(packet, ingress);
  LinkAhead& here = all_.ahead(ingress);
  if (all_.trains.joins(packet, here.train)) return;
  go_on(packet, &ingress, nullptr, here.train, {.head = packet.head, .tail = packet.tail});
}

// Packets of one time leave in an order that depends on their content, so all of them leave by events.
bool Routes::leave(Packet& packet) {
  LiveLink& link = fabric_.next_link(packet);
  LinkAhead& there = all_.ahead(link);
  if (!there.is_source) return false;
  if (packet.head <= fabric_.sim().now() || !leaves_last(packet, link, there) ||
      there.own_back_off.pauses()) {
    there.posted = std::max(there.posted, packet.head);
    return false;
  }
  if (all_.trains.joins(packet, there.own_train)) return true;
  Train* const train = more_follow(packet) ? &all_.trains.begin(packet, there.own_train) : nullptr;
  const Passage at_first{.head = packet.head, .tail = packet.tail};
  reserve_link(packet, link, there, train);
  go_on(packet, &link, train, there.own_train, at_first);
  return true;
}

// A packet that leaves by an event revokes the reservations after it.
bool Routes::leaves_last(const Packet& packet, LiveLink& link, LinkAhead& there) {
  all_.timetables.serve_before(link, there, fabric_.sim().now(), 1);
  bool last = there.posted < fabric_.sim().now();
  while (link.reserved > 0) {
    const Reservation& back = there.reservations.back();
    if (back.head(count(back) - 1) < packet.head) break;
    all_.revocation.revoke_last(link, there);
    last = false;
  }
  all_.claims.notify();
  return last;
}

// Prefetches the state of the next links of the route, which is scattered in memory. For the farthest link it
// fetches only the LiveLink, which points to the rest. Links of another process are not read.
[[gnu::always_inline]] inline void Routes::fetch_ahead(const Packet& packet) {
  const std::span<const LinkId> route = packet.message->route;
  const auto link_at = [&](std::uint32_t hop) -> LiveLink* {
    return hop < route.size() ? &fabric_.live(route[hop]) : nullptr;
  };
  const auto own_at = [&](std::uint32_t hop) -> LiveLink* {
    LiveLink* const link = link_at(hop);
    const bool is_ours = link != nullptr && (all_.is_whole() || &fabric_.owner(link->from) == &fabric_);
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
void Routes::go_on(Packet& packet, LiveLink* ingress, Train* train, Train*& keeper, const Passage& at_first) {
  while (ingress->arrivals != nullptr) {
    fetch_ahead(packet);
    const bool goes_on = !fabric_.at_end(packet) && !all_.ahead(*ingress).back_off.pauses() &&
                         !ingress->arrivals->expects_many(ingress->port - 1);
    LiveLink* const link = goes_on ? &fabric_.next_link(packet) : nullptr;
    if (link == nullptr) break;
    if (!may_reserve(packet, *link, all_.ahead(*link)) && !revokes_few(packet, *link, all_.ahead(*link))) {
      if (train != nullptr || more_follow(packet) || !reserves_between(packet, *link, all_.ahead(*link)))
        break;
    } else {
      if (train == nullptr && (more_follow(packet) || packet.in_burst))
        train = &all_.trains.begin(packet, keeper);
      reserve_link(packet, *link, all_.ahead(*link), train);
    }
    ingress = &all_.ingress_of(packet);
  }
  if (train != nullptr) {
    train->to = packet.hop;
    train->last = {.head = at_first.head, .tail = at_first.tail, .start = packet.head, .end = packet.tail};
  }
  end_route(packet, *ingress, train);
}

// If the first packet of a train is unobserved, all others are, too, except the last of the message.
void Routes::end_route(Packet& packet, LiveLink& ingress, Train* train) {
  if (train == nullptr) return arrive_at_end(packet, ingress);
  LinkAhead& there = all_.ahead(ingress);
  train->unobserved = all_.unobserved.is_unobserved(packet, there);
  if (!train->unobserved) {
    train->packets.set(0, packet);
    return arrive_at_end(packet, ingress);
  }
  there.reservations.back().ends = true;
  fabric_.free(packet);
}

void Routes::arrive_at_end(Packet& packet, LiveLink& ingress) {
  if (ingress.arrivals != nullptr) return ingress.arrivals->push(ingress.port - 1, packet);
  if (!all_.unobserved.arrives_unobserved(packet, ingress) &&
      !all_.unobserved.is_accepted_at_once(packet, ingress))
    fabric_.arrive_by_event(packet, ingress);
}

bool Routes::may_reserve(const Packet& packet, LiveLink& link, LinkAhead& there) {
  if (!there.passes_on || link.claimed != 0) return false;
  if (link.reserved > 0) all_.timetables.serve_before(link, there, fabric_.sim().now(), 0);
  return link.reserved == 0 || is_after_all(packet, there);
}

bool Routes::is_after_all(const Packet& packet, LinkAhead& there) {
  const Reservation& last = there.reservations.back();
  return last.before(count(last) - 1, packet.head, rank(packet.late, packet.port));
}

// True if the packet is the first of many, and it was enough to revoke one or two packets that are reserved
// alone. These arrive by events, and the many are reserved again after each of them.
bool Routes::revokes_few(const Packet& packet, LiveLink& link, LinkAhead& there) {
  constexpr std::uint32_t kMany = 8;
  constexpr int kFew = 2;
  if (!there.passes_on || link.claimed != 0 || packet.message->packets - packet.ordinal < kMany) return false;
  for (int i = 0; i < kFew; ++i) {
    if (!is_alone(there.reservations.back())) return false;
    all_.revocation.revoke_last(link, there);
    if (may_reserve(packet, link, there)) return true;
  }
  return false;
}

// True if no packet is reserved after this one, on any link of its route.
bool Routes::is_alone(const Reservation& reservation) {
  if (reservation.train != nullptr || reservation.hop == 0 || reservation.served > 0) return false;
  for (std::uint32_t hop = reservation.hop; hop < reservation.packet->hop; ++hop) {
    LinkAhead& there = all_.ahead(fabric_.live(reservation.packet->message->route[hop]));
    InOrder<Reservation>& others = there.reservations;
    if (there.is_shadowed && others.empty()) continue;
    if (others.empty() || others.back().packet != reservation.packet || others.back().train != nullptr)
      return false;
  }
  return true;
}

// Reserves between two reservations if no reserved packet waits for this one.
bool Routes::reserves_between(Packet& packet, LiveLink& link, LinkAhead& there) {
  constexpr std::ptrdiff_t kFew = 8;
  if (packet.in_burst || !there.passes_on || link.claimed != 0 || link.reserved == 0) return false;
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
  const Time service = link.lane.service(packet.size);
  const Passage own = passage(packet, there.overhead, all_.timetables.free(link, there, next), service);
  if (own.end > next->start(next->served)) return false;
  if (next->served > 0) all_.shadowed.split(there, *next);
  Reservation reservation = reservation_of(packet, own, service, nullptr);
  cross(packet, link, own);
  all_.shadows.cross_shadowed(packet, reservation, route_end(packet));
  there.reservations.insert(next, reservation);
  ++link.reserved;
  return true;
}

void Routes::reserve_link(Packet& packet, LiveLink& link, LinkAhead& there, Train* train) {
  const Time service = link.lane.service(packet.size);
  const Passage first = passage(packet, there.overhead, all_.timetables.free(link, there), service);
  if (link.reserved > 0) all_.timetables.close_last(link, there);
  there.reservations.push_back(reservation_of(packet, first, service, train));
  ++link.reserved;
  if (train != nullptr) ++train->reservations;
  cross(packet, link, first);
  all_.shadows.cross_shadowed(packet, there.reservations.back(), route_end(packet));
}

}  // namespace kbsim::hw
