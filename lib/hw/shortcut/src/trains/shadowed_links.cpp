// Shadowed links. If all packets that cross link B arrive by one link A, which is no faster, no packet ever
// waits for B. At A a packet starts no earlier than the one before it has ended. So it starts at B
// `wire + overhead` later, after the one before it has left. B gets no reservation: the one at A gives the
// times at B. This holds until a message takes another route to B. Then packets are reserved at B as usual.
#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

// Finds shadowed links. Each path is made known before its first message.
void Reservations::know(std::span<const LinkId> route) {
  if (!is_whole_) return;
  for (const LinkId id : route) {
    __builtin_prefetch(&fabric_.live(id));
    __builtin_prefetch(&fabric_.live(id).ahead);
  }
  LiveLink* before = nullptr;
  for (const LinkId id : route) {
    LiveLink& link = fabric_.live(id);
    Ahead& there = ahead(link);
    if (!there.is_known) {
      there.is_known = true;
      there.before = before;
      there.is_shadowed = before != nullptr && may_shadow(link, *before);
      has_shadows_ |= there.is_shadowed;
    } else if (there.is_shadowed && there.before != before) {
      end_shadow(link, there);
    }
    before = &link;
  }
}

// True if both nodes only pass packets on, each packet arrives later than it is sent, and `before` is no
// faster.
bool Reservations::may_shadow(const LiveLink& link, LiveLink& before) {
  const bool passes = ahead(before).passes_on && link.ahead->passes_on && link.arrivals != nullptr;
  return passes && link.lane.rate() >= before.lane.rate() && before.lane.rate().serialization(1_B) > Time{0};
}

LiveLink& Reservations::ingress_of(const Packet& packet) const {
  return fabric_.live(packet.message->route[packet.hop - 1]);
}

void Reservations::end_shadow(LiveLink& link, Ahead& there) {
  unfold(link);
  if (link.reserved > 0) serve_before(link, there, fabric_.sim().now(), 0);
  there.is_shadowed = false;
  ++shadows_ended_;
}

// A claim must observe all packets that cross its link.
void Reservations::set_claim(LiveLink& link, ILinkClaim* holder) {
  Ahead& there = ahead(link);
  if (holder != nullptr && there.is_shadowed) end_shadow(link, there);
  there.claim = holder;
  link.claimed = holder != nullptr ? 1 : 0;
}

// The shadowed links from this hop on. Callers mostly ask for the entry after the last one.
[[gnu::always_inline]] inline const Path::Trail& Reservations::shadow(Path& path, std::uint32_t hop) const {
  const std::vector<Path::Trail>& all = path.trails;
  if (path.next_trail == all.size()) path.next_trail = 0;
  const bool is_next = path.trails_ended == shadows_ended_ && !all.empty() && all[path.next_trail].hop == hop;
  if (!is_next) find_shadow(path, hop);
  return all[path.next_trail++];
}

void Reservations::find_shadow(Path& path, std::uint32_t hop) const {
  if (std::exchange(path.trails_ended, shadows_ended_) != shadows_ended_) path.trails.clear();
  const auto found = std::ranges::find(path.trails, hop, &Path::Trail::hop);
  path.next_trail = static_cast<std::uint32_t>(found - path.trails.begin());
  if (found == path.trails.end()) path.trails.push_back(shadow_from(path, hop));
}

Path::Trail Reservations::shadow_from(const Path& path, std::uint32_t hop) const {
  Path::Trail shadow{.hop = static_cast<std::uint16_t>(hop)};
  for (; hop < path.route.size(); ++hop) {
    const LiveLink& link = fabric_.live(path.route[hop]);
    if (link.ahead == nullptr || !link.ahead->is_shadowed) break;
    ++shadow.links;
    shadow.port = link.port;
    shadow.takes += link.ahead->overhead + link.wire;
  }
  return shadow;
}

// Crosses the shadowed links after the link of the reservation, before hop `end`. Other packets may arrive
// there by events, or be reserved there: no packet waits for another.
void Reservations::cross_shadowed(Packet& packet, Reservation& reservation, std::uint32_t end) {
  const std::uint32_t first = packet.hop;
  if (has_shadows_) {
    const Path::Trail& all = shadow(*packet.message->path, first);
    if (first + all.links > end) [[unlikely]] {
      while (packet.hop < end) cross_unreserved(packet, fabric_.next_link(packet));
    } else if (all.links > 0) {
      packet.hop += all.links;
      packet.head += all.takes;
      packet.tail += all.takes;
      packet.port = all.port;
    }
  }
  reservation.shadowed = static_cast<std::uint16_t>(packet.hop - first);
  reservation.shadow = packet.message->route.data() + first;
  reservation.reach = packet.head - reservation.first.start;
}

bool Reservations::is_after_all(const Packet& packet, Ahead& there) {
  const Reservation& last = there.reservations.back();
  return last.before(count(last) - 1, packet.head, rank(packet.late, packet.port));
}

// Crosses the same shadowed links as the packet before it, after the same link.
void Reservations::skip(Packet& packet, const LiveLink& link, std::uint32_t shadowed, Time reach) const {
  if (shadowed == 0) return;
  const Time takes = reach - link.wire;
  packet.hop += shadowed;
  packet.head += takes;
  packet.tail += takes;
  packet.port = ingress_of(packet).port;
}

void Reservations::cross_unreserved(Packet& packet, const LiveLink& link) {
  const Time takes = link.ahead->overhead + link.wire;
  packet.head += takes;
  packet.tail += takes;
  packet.port = link.port;
  ++packet.hop;
}

// Removes the first reservation, whose packets are served. They may still have to cross the links that this
// one shadows.
void Reservations::drop_front(LiveLink& link, Ahead& there) {
  Train* const train = there.reservations.front().train;
  const bool is_kept = keeps(there, there.reservations.front());
  there.reservations.pop_front();
  --link.reserved;
  if (!is_kept) release(train);
}

// Keeps the served packets, unless they have crossed all shadowed links by now.
bool Reservations::keeps(Ahead& there, const Reservation& served) {
  if (served.shadowed == 0 || served.shown >= served.served) return false;
  close(there.train);
  drop_passed(there);
  if (there.passing.empty() && has_passed(served)) {
    account(there, served);
    return false;
  }
  there.passing.push_back(served);
  there.passing.back().limit = served.served;
  return true;
}

void Reservations::drop_passed(Ahead& there) {
  while (!there.passing.empty() && has_passed(there.passing.front())) {
    Train* const train = there.passing.front().train;
    account(there, there.passing.front());
    there.passing.pop_front();
    release(train);
  }
}

bool Reservations::has_passed(const Reservation& reservation) const {
  return reservation.start(reservation.served - 1) + reservation.reach < fabric_.sim().now();
}

// Visits each shadowed link of a reservation, with the time by which packets start later there.
template <class Do>
void Reservations::for_shadowed(const LinkId* shadow, std::uint32_t shadowed, Do act) {
  LiveLink* before = &fabric_.live(shadow[-1]);
  Time later{};
  for (std::uint32_t i = 0; i < shadowed; ++i) {
    LiveLink& link = fabric_.live(shadow[i]);
    Ahead& there = *link.ahead;
    later += before->wire + there.overhead;
    act(link, there, before->port, later);
    before = &link;
  }
}

// The packets have crossed all shadowed links, which count them later: together with others, or when read.
void Reservations::account(Ahead& there, const Reservation& passed) {
  const std::uint32_t alike = std::min(passed.served, passed.shorter);
  if (passed.shown < alike) account(there, passed, passed.size, passed.shown, alike);
  if (alike < passed.served) account(there, passed, passed.train->last_size, alike, passed.served);
}

// Counts the packets from `first` on, before `end`.
void Reservations::account(Ahead& there, const Reservation& passed, Bytes size, std::uint32_t first,
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

void Reservations::account_all(Ahead& there) {
  for (Crossed& crossed : there.crossed) account(crossed);
}

void Reservations::account(Crossed& crossed) {
  if (crossed.packets == 0) return;
  for_shadowed(crossed.shadow, crossed.shadowed, [&](LiveLink& link, Ahead&, std::uint32_t, Time later) {
    link.lane.pass_run(crossed.start + later, crossed.end + later, Time{0}, crossed.packets, crossed.size,
                       link.lane.rate().serialization(crossed.size));
  });
  crossed.packets = 0;
}

// Inserts the reservation in the order of time. It may fall between reserved packets of a train, as it did on
// the link before.
void Reservations::insert(LiveLink& link, Ahead& there, const Reservation& shown) {
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
void Reservations::show(const Reservation& reservation, std::uint32_t end) {
  std::uint16_t hop = reservation.hop;
  const auto show_at = [&](LiveLink& link, Ahead& there, std::uint32_t port, Time later) {
    if (link.reserved > 0) close_last(link, there);
    if (link.reserved > 0) serve_before(link, there, fabric_.sim().now(), 0);
    Reservation shown = reservation;
    const Time arrival = later - there.overhead;
    shown.first = {.head = reservation.first.start + arrival,
                   .tail = reservation.first.end + arrival,
                   .start = reservation.first.start + later,
                   .end = reservation.first.end + later};
    shown.gap = reservation.step;
    shown.tail_sooner = reservation.end_sooner;
    shown.service = link.lane.rate().serialization(reservation.size);
    shown.port = port;
    shown.late = 0;
    shown.ends = false;
    shown.hop = ++hop;
    shown.served = reservation.shown;
    shown.limit = end;
    shown.shadowed = 0;
    insert(link, there, shown);
    if (shown.train != nullptr) ++shown.train->reservations;
    serve_before(link, there, fabric_.sim().now(), 0);
  };
  for_shadowed(reservation.shadow, reservation.shadowed, show_at);
}

// Brings the links that this one shadows up to date before they are read.
void Reservations::show_passing(LiveLink& link, Ahead& there) {
  drop_passed(there);
  account_all(there);
  for (Reservation& reservation : there.passing) {
    show(reservation, reservation.served);
    release(reservation.train);
  }
  there.passing.clear();
  if (link.reserved == 0) return;
  Reservation& first = there.reservations.front();
  if (first.shadowed == 0 || first.shown >= first.served) return;
  show(first, first.served);
  first.shown = first.served;
}

// A packet arrives between the served packets and the others. From now on the reservation is for the others
// only.
void Reservations::split(Ahead& there, Reservation& reservation) {
  if (reservation.shadowed == 0) return;
  if (keeps(there, reservation)) ++reservation.train->reservations;
  reservation.shown = reservation.served;
}

// Gives all its packets their own reservations on the shadowed links.
void Reservations::unfold(Ahead& there, Reservation& reservation) {
  if (reservation.shadowed == 0) return;
  close(reservation.train);
  if (reservation.shown < count(reservation)) show(reservation, count(reservation));
  reservation.shadowed = 0;
  drop_passed(there);
}

void Reservations::unfold_all(LiveLink& link) {
  Ahead& there = ahead(link);
  show_passing(link, there);
  for (Reservation& reservation : there.reservations) unfold(there, reservation);
}

// Unfolds all reservations whose packets may cross the link.
void Reservations::unfold(LiveLink& link) {
  for (const Ahead* there = &ahead(link); there->is_shadowed; there = &ahead(*there->before))
    unfold_all(*there->before);
}

// True if a packet may be on the link, or arrive there, without a reservation.
bool Reservations::has_shadowed_packets(LiveLink& link) {
  for (const Ahead* there = link.ahead; there != nullptr && there->is_shadowed;
       there = &ahead(*there->before)) {
    Ahead& before = ahead(*there->before);
    if (there->before->reserved > 0) serve_before(*there->before, before, fabric_.sim().now(), 0);
    drop_passed(before);
    account_all(before);
    if (!before.passing.empty()) return true;
    if (std::ranges::any_of(before.reservations, [](const Reservation& each) { return each.shadowed > 0; }))
      return true;
  }
  return false;
}

}  // namespace kbsim::hw
