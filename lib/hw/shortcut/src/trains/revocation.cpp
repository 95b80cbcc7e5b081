#include "revocation.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <span>

#include "kbsim/hw/fabric/component.hpp"

#include "crossing.hpp"
#include "reservations.hpp"

namespace kbsim::hw {

// A packet that leaves its source is served after all that are reserved for this time.
bool Revocation::revoke_after(LiveLink& link, const Packet& packet) {
  LinkAhead& here = all_.ahead(link);
  all_.timetables.serve_before(link, here, fabric_.sim().now(), rank(packet.late, std::max(packet.port, 1U)));
  if (here.reservations.empty()) return false;
  if (passes_before_next(packet, link, here)) {
    Reservation& next = here.reservations.front();
    if (next.served > 0) all_.shadowed.split(here, next);
    return false;
  }
  met_ = &link;
  some_replayed_ = false;
  while (!here.reservations.empty()) revoke_last(link, here);
  met_ = nullptr;
  if (some_replayed_ || all_.claims.must_notify()) all_.again.replay_kept();
  all_.claims.notify();
  return all_.again.keeps_some();
}

// True if the next reserved packet doesn't wait for this one; then those after it don't, either. False for a
// packet that leads: the rest of its message follows at once.
bool Revocation::passes_before_next(const Packet& packet, const LiveLink& link, LinkAhead& here) {
  if (packet.leads) return false;
  const Reservation& next = here.reservations.front();
  const Time service = link.lane.service(packet.size);
  return passage(packet, here.overhead, link.lane.free(), service).end <= next.start(next.served);
}

// Revokes the packets of the last reservation whose time isn't past, here and downstream, with all
// reservations after them there. Meanwhile other revocations may reach them further downstream.
void Revocation::revoke_last(LiveLink& link, LinkAhead& there) {
  const Reservation taken = there.reservations.back();
  const std::uint32_t from = taken.served;
  const std::uint32_t packets = count(taken);
  all_.trains.close(taken.train);
  if (from < packets) {
    const Message& message = taken.train != nullptr ? *taken.train->message : *taken.packet->message;
    const std::span<const LinkId> route = message.route;
    const std::uint32_t end = end_hop(taken, from);
    for (std::uint32_t hop = hop_after(taken); hop < end;) hop = shorten(route[hop], taken, hop, from);
    all_.again.shorten_kept(taken, from);
    if (&link == met_ && all_.again.may_reserve_again(taken))
      all_.again.keep(taken);
    else
      replay(taken);
  }
  all_.timetables.drop_back(link, there);
}

void Revocation::revoke_all(LiveLink& link) {
  LinkAhead& there = all_.ahead(link);
  all_.shadowed.unfold(link);
  all_.timetables.serve_before(link, there, fabric_.sim().now(), std::numeric_limits<std::uint32_t>::max());
  while (!there.reservations.empty()) revoke_last(link, there);
}

// The packets arrive by events, and back-off grows. It doesn't grow if at least half of the train was served
// as reserved, or if only one packet is left.
void Revocation::replay(const Reservation& taken) {
  const Message& message = taken.train != nullptr ? *taken.train->message : *taken.packet->message;
  for (std::uint32_t i = taken.served; i < count(taken); ++i) replay_packet(taken, i);
  LiveLink& link = fabric_.live(message.route[taken.hop]);
  if (&link == met_) some_replayed_ = true;
  LiveLink* const ingress = taken.hop > 0 ? &fabric_.live(message.route[taken.hop - 1]) : nullptr;
  if (ingress != nullptr && is_burst_entry(taken)) all_.claims.note_revoked(*ingress);
  const std::uint32_t left = count(taken) - taken.served;
  const bool has_paid = taken.train != nullptr && (left == 1 || left <= taken.served);
  if (!has_paid) (ingress != nullptr ? all_.ahead(*ingress).back_off : all_.ahead(link).own_back_off).grow();
}

std::uint32_t Revocation::shorten(LinkId at, const Reservation& earlier, std::uint32_t hop,
                                  std::uint32_t from) {
  LiveLink& link = fabric_.live(at);
  if (link.reserved == 0) return hop + 1;
  LinkAhead& there = all_.ahead(link);
  all_.timetables.serve_before(link, there, fabric_.sim().now(), 0);
  const auto is_it = [&](const Reservation& later) {
    return later.hop == hop && later.train == earlier.train &&
           (later.train != nullptr || later.packet == earlier.packet);
  };
  const auto is_later = [&](const Reservation& later) { return is_it(later) && count(later) > from; };
  // Some packets of a train may have their own reservations downstream, which others don't have.
  std::optional<std::uint32_t> least;
  for (const Reservation& later : there.reservations | std::views::filter(is_later))
    least = std::min(least.value_or(hop_after(later)), hop_after(later));
  while (std::ranges::any_of(there.reservations, is_later)) {
    Reservation& last = there.reservations.back();
    if (!is_it(last))
      revoke_last(link, there);
    else if (last.served >= from)
      all_.timetables.drop_back(link, there);
    else
      last.limit = from;
  }
  return least.value_or(hop + 1);
}

// A packet of a burst that has yet to cross the link before this node arrives as the holder of its burst
// decides: Claims::notify().
void Revocation::replay_packet(const Reservation& reservation, std::uint32_t index) {
  if (is_burst_entry(reservation) && !has_crossed(reservation, index)) return drop(reservation, index);
  arrive_by_event(reservation, index);
}

// True if the packet of a burst has crossed the link before that node.
bool Revocation::has_crossed(const Reservation& reservation, std::uint32_t index) const {
  const Train& train = *reservation.train;
  const Time crosses = reservation.head(index) - train.lag;
  const Time now = fabric_.sim().now();
  if (crosses != now) return crosses < now;
  const LiveLink& to_unit = fabric_.live(train.message->route[reservation.hop - 2]);
  const Packet one{
      .message = train.message, .head = now, .port = to_unit.port, .ordinal = train.ordinal + index};
  return fabric_.has_passed(fabric_.component(to_unit.to), train.batch, one);
}

void Revocation::drop(const Reservation& reservation, std::uint32_t index) {
  Packet* const known = reservation.train->known(index);
  if (known == nullptr) return;
  withdraw(*known);
  fabric_.free(*known);
}

void Revocation::arrive_by_event(const Reservation& reservation, std::uint32_t index) {
  Packet& one = recall(reservation, index);
  move_back(reservation, index, one);
  if (one.hop == 0) return leave_by_event(one);
  LiveLink& ingress = fabric_.live(one.message->route[reservation.hop - 1]);
  ingress.arrivals->push(reservation.port - 1, one);
}

// Returns the packet, withdrawn from where it was to arrive. An unobserved one is made again.
Packet& Revocation::recall(const Reservation& reservation, std::uint32_t index) {
  if (reservation.train == nullptr) return withdraw(*reservation.packet), *reservation.packet;
  Train& train = *reservation.train;
  if (Packet* const known = train.known(index)) return withdraw(*known), *known;
  Packet& again = fabric_.allocate();
  again = {.message = train.message, .size = train.size, .ordinal = train.ordinal + index};
  train.packets.set(index, again);
  return again;
}

void Revocation::leave_by_event(Packet& packet) {
  LinkAhead& there = all_.ahead(fabric_.next_link(packet));
  there.posted = std::max(there.posted, packet.head);
  fabric_.component(packet.message->from).inbox().post(packet.head, packet);
}

void Revocation::withdraw(Packet& packet) {
  LiveLink& ingress = fabric_.live(packet.message->route[packet.hop - 1]);
  if (ingress.arrivals != nullptr)
    ingress.arrivals->withdraw(ingress.port - 1, packet);
  else
    fabric_.component(ingress.to).inbox().withdraw(packet);
}

}  // namespace kbsim::hw
