#include "timetables.hpp"

#include <iterator>

#include "reservations.hpp"

namespace kbsim::hw {

Time Timetables::free(const LiveLink& link, LinkAhead& there) {
  return free(link, there, there.reservations.end());
}

// When all packets before `next` are served. After packets whose time is past, others may have gone by
// events.
Time Timetables::free(const LiveLink& link, LinkAhead& there, InOrder<Reservation>::Place next) {
  if (next == there.reservations.begin()) return link.lane.free();
  const Reservation& last = *std::prev(next);
  const std::uint32_t packets = count(last);
  return last.served == packets ? link.lane.free() : last.end(packets - 1);
}

void Timetables::close_last(LiveLink& link, LinkAhead& there) {
  Reservation& last = there.reservations.back();
  all_.trains.close(last.train);
  if (last.served == count(last)) drop_back(link, there);
}

// Removes the first reservation, whose packets are served. They may still have to cross the links that this
// one shadows.
void Timetables::drop_front(LiveLink& link, LinkAhead& there) {
  Train* const train = there.reservations.front().train;
  const bool is_kept = all_.shadowed.keeps(there, there.reservations.front());
  there.reservations.pop_front();
  --link.reserved;
  if (!is_kept) all_.trains.release(train);
}

void Timetables::drop_back(LiveLink& link, LinkAhead& there) {
  Reservation last = there.reservations.back();
  last.limit = last.served;
  const bool is_kept = all_.shadowed.keeps(there, last);
  there.reservations.pop_back();
  --link.reserved;
  if (!is_kept) all_.trains.release(last.train);
}

// Serves `packets` packets of one size, from `i` on.
[[gnu::always_inline]] inline void Timetables::serve_alike(LiveLink& link, const LinkAhead& there,
                                                           const Reservation& reservation, std::uint32_t i,
                                                           std::uint32_t packets, Bytes size, Time service) {
  const Time head = reservation.head(i) + there.overhead;
  const Time tail = reservation.tail(i) + there.overhead;
  if (there.is_shadowed) [[unlikely]]
    link.lane.pass_run(head, reservation.end(i + packets - 1), reservation.gap, packets, size, service);
  else if (packets == 1)
    (void)link.lane.reserve(head, tail, size, service);
  else
    (void)link.lane.reserve_run(head, tail, reservation.gap, packets, size, service);
}

void Timetables::serve_shorter(LiveLink& link, const LinkAhead& there, const Reservation& reservation) {
  const Bytes size = reservation.train->last_size;
  serve_alike(link, there, reservation, reservation.shorter, 1, size, link.lane.service(size));
}

// Serves the next packets of a train.
[[gnu::always_inline]] inline void Timetables::serve_run(LiveLink& link, LinkAhead& there,
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
  there.add_unobserved({.message = reservation.train->message,
                        .size = reservation.size,
                        .head = reservation.first.start + first * reservation.step + link.wire,
                        .tail = reservation.end(first) + link.wire,
                        .gap = reservation.step,
                        .ordinal = ordinal,
                        .count = packets - (with_last ? 1 : 0)});
}

// Serves the packets of the first train that arrive before this time and rank. False if some are left, or may
// be added: a train that may grow keeps its reservations.
[[gnu::always_inline]] inline bool Timetables::serve_train(LiveLink& link, LinkAhead& there, Time at,
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

void Timetables::serve_before(LiveLink& link, LinkAhead& there, Time at, ArrivalRank other) {
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

}  // namespace kbsim::hw
