#include "shadowed_packets.hpp"

#include <algorithm>
#include <iterator>

#include "reservations.hpp"

namespace kbsim::hw {

bool ShadowedPackets::keeps(LinkAhead& there, const Reservation& served) {
  if (served.shadowed == 0 || served.shown >= served.served) return false;
  all_.trains.close(there.train);
  drop_passed(there);
  if (there.passing.empty() && has_passed(served)) {
    account(there, served);
    return false;
  }
  there.passing.push_back(served);
  there.passing.back().limit = served.served;
  return true;
}

void ShadowedPackets::drop_passed(LinkAhead& there) {
  while (!there.passing.empty() && has_passed(there.passing.front())) {
    Train* const train = there.passing.front().train;
    account(there, there.passing.front());
    there.passing.pop_front();
    all_.trains.release(train);
  }
}

bool ShadowedPackets::has_passed(const Reservation& reservation) const {
  return reservation.start(reservation.served - 1) + reservation.reach < fabric_.sim().now();
}

// Visits each shadowed link of a reservation, with the time by which packets start later there.
template <class Do>
void ShadowedPackets::for_shadowed(const LinkId* shadow, std::uint32_t shadowed, Do act) {
  LiveLink* before = &fabric_.live(shadow[-1]);
  Time later{};
  for (std::uint32_t i = 0; i < shadowed; ++i) {
    LiveLink& link = fabric_.live(shadow[i]);
    LinkAhead& there = *link.ahead;
    later += before->wire + there.overhead;
    act(link, there, before->port, later);
    before = &link;
  }
}

// The packets have crossed all shadowed links, which count them later: together with others, or when read.
void ShadowedPackets::account(LinkAhead& there, const Reservation& passed) {
  const std::uint32_t alike = std::min(passed.served, passed.shorter);
  if (passed.shown < alike) account(there, passed, passed.size, passed.shown, alike);
  if (alike < passed.served) account(there, passed, passed.train->last_size, alike, passed.served);
}

// Counts the packets from `first` on, before `end`.
void ShadowedPackets::account(LinkAhead& there, const Reservation& passed, Bytes size, std::uint32_t first,
                              std::uint32_t end) {
  const auto is_alike = [&](const Crossed& some) {
    return some.shadow == passed.shadow && some.shadowed == passed.shadowed && some.size == size;
  };
  constexpr std::size_t kKinds = 3;
  std::vector<Crossed>& all = there.crossed;
  auto known = std::ranges::find_if(all, is_alike);
  if (known == all.end()) {
    if (all.size() < kKinds) all.emplace_back();
    known = all.end() - 1;
    account(*known);
    *known = {.shadow = passed.shadow, .shadowed = passed.shadowed, .size = size};
  }
  std::rotate(all.begin(), known, known + 1);
  Crossed& crossed = all.front();
  crossed.packets += end - first;
  crossed.start = passed.start(end - 1);
  crossed.end = passed.end(end - 1);
}

void ShadowedPackets::account(Crossed& crossed) {
  if (crossed.packets == 0) return;
  for_shadowed(crossed.shadow, crossed.shadowed, [&](LiveLink& link, LinkAhead&, std::uint32_t, Time later) {
    link.lane.pass_run(crossed.start + later, crossed.end + later, Time{0}, crossed.packets, crossed.size,
                       link.lane.service(crossed.size));
  });
  crossed.packets = 0;
}

void ShadowedPackets::account_all(LinkAhead& there) {
  for (Crossed& crossed : there.crossed) account(crossed);
}

// Inserts the reservation in the order of time. It may fall between reserved packets of a train, as it did on
// the link before.
void ShadowedPackets::insert(LiveLink& link, LinkAhead& there, const Reservation& shown) {
  InOrder<Reservation>& all = there.reservations;
  const Time head = shown.head(shown.served);
  auto place = all.end();
  while (place != all.begin() && std::prev(place)->head(std::prev(place)->served) > head) --place;
  const auto at = place - all.begin();
  if (place != all.begin() && std::prev(place)->head(count(*std::prev(place)) - 1) > head) {
    Reservation& before = *std::prev(place);
    Reservation rest = before;
    rest.served +=
        count_before(before.head(before.served), before.gap, count(before) - before.served, head, true);
    rest.shown = std::max(rest.shown, rest.served);
    before.limit = rest.served;
    all.insert(place, rest);
    ++link.reserved;
    ++rest.train->reservations;
  }
  all.insert(all.begin() + at, shown);
  ++link.reserved;
}

// Makes reservations on the shadowed links for the packets before `end` that have none there.
void ShadowedPackets::show(const Reservation& reservation, std::uint32_t end) {
  std::uint16_t hop = reservation.hop;
  const auto show_at = [&](LiveLink& link, LinkAhead& there, std::uint32_t port, Time later) {
    if (link.reserved > 0) all_.timetables.close_last(link, there);
    if (link.reserved > 0) all_.timetables.serve_before(link, there, fabric_.sim().now(), 0);
    Reservation shown = reservation;
    const Time arrival = later - there.overhead;
    shown.first = {.head = reservation.first.start + arrival,
                   .tail = reservation.first.end + arrival,
                   .start = reservation.first.start + later,
                   .end = reservation.first.end + later};
    shown.gap = reservation.step;
    shown.tail_sooner = reservation.end_sooner;
    shown.service = link.lane.service(reservation.size);
    shown.port = port;
    shown.late = 0;
    shown.ends = false;
    shown.hop = ++hop;
    shown.served = reservation.shown;
    shown.limit = end;
    shown.shadowed = 0;
    insert(link, there, shown);
    if (shown.train != nullptr) ++shown.train->reservations;
    all_.timetables.serve_before(link, there, fabric_.sim().now(), 0);
  };
  for_shadowed(reservation.shadow, reservation.shadowed, show_at);
}

void ShadowedPackets::show_passing(LiveLink& link, LinkAhead& there) {
  drop_passed(there);
  account_all(there);
  for (Reservation& reservation : there.passing) {
    show(reservation, reservation.served);
    all_.trains.release(reservation.train);
  }
  there.passing.clear();
  if (link.reserved == 0) return;
  Reservation& first = there.reservations.front();
  if (first.shadowed == 0 || first.shown >= first.served) return;
  show(first, first.served);
  first.shown = first.served;
}

void ShadowedPackets::split(LinkAhead& there, Reservation& reservation) {
  if (reservation.shadowed == 0) return;
  if (keeps(there, reservation)) ++reservation.train->reservations;
  reservation.shown = reservation.served;
}

// Gives all its packets their own reservations on the shadowed links.
void ShadowedPackets::unfold(LinkAhead& there, Reservation& reservation) {
  if (reservation.shadowed == 0) return;
  all_.trains.close(reservation.train);
  if (reservation.shown < count(reservation)) show(reservation, count(reservation));
  reservation.shadowed = 0;
  drop_passed(there);
}

// Unfolds all reservations whose packets may cross the link.
void ShadowedPackets::unfold(LiveLink& link) {
  for (const LinkAhead* there = &all_.ahead(link); there->is_shadowed; there = &all_.ahead(*there->before))
    unfold_all(*there->before);
}

void ShadowedPackets::unfold_all(LiveLink& link) {
  LinkAhead& there = all_.ahead(link);
  show_passing(link, there);
  for (Reservation& reservation : there.reservations) unfold(there, reservation);
}

bool ShadowedPackets::has_shadowed_packets(LiveLink& link) {
  for (const LinkAhead* there = link.ahead; there != nullptr && there->is_shadowed;
       there = &all_.ahead(*there->before)) {
    LinkAhead& before = all_.ahead(*there->before);
    if (there->before->reserved > 0)
      all_.timetables.serve_before(*there->before, before, fabric_.sim().now(), 0);
    drop_passed(before);
    account_all(before);
    if (!before.passing.empty()) return true;
    if (std::ranges::any_of(before.reservations, [](const Reservation& each) { return each.shadowed > 0; }))
      return true;
  }
  return false;
}

}  // namespace kbsim::hw
