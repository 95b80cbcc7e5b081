// Links that trail others. Where all that crosses a link comes by one other, which is no faster, nobody ever
// waits for it: at A a packet starts no sooner than the one before it has ended, so it comes to B's node, and
// starts there `wire + overhead` after A, when the one before it has gone. B takes no booking: the one at A
// says when its packets cross B, as long as they all come by A, which holds until a message takes another
// route. Then they are booked at B as they would have been.
#include <algorithm>

#include "kbsim/hw/fabric/component.hpp"

#include "flights.hpp"

namespace kbsim::hw {

void Flights::know(std::span<const LinkId> route) {
  if (!fabric_.is_whole()) return;
  LiveLink* before = nullptr;
  for (const LinkId id : route) {
    LiveLink& link = fabric_.live(id);
    Ahead& there = ahead(link);
    if (!there.is_known) {
      there.is_known = true;
      there.before = before;
      there.trails = before != nullptr && may_trail(link, *before);
    } else if (there.trails && there.before != before) {
      unfold(link);
      if (link.booked > 0) serve_before(link, there, fabric_.sim().now(), 0);
      there.trails = false;
    }
    before = &link;
  }
}

// Both nodes only pass packets on, and each comes later than it is sent.
bool Flights::may_trail(const LiveLink& link, LiveLink& before) {
  const bool passes = ahead(before).books && link.ahead->books && link.arrivals != nullptr;
  return passes && link.lane.rate() >= before.lane.rate() && before.lane.rate().serialization(1_B) > Time{0};
}

LiveLink& Flights::came_by(const Packet& packet) const {
  return fabric_.live(packet.message->route[packet.hop - 1]);
}

// Over the links that trail the one that it has crossed as the booking says, before hop `end`: as far as
// nobody comes there by an event before it, or is booked there behind it.
void Flights::cross_trailing(Packet& packet, Booking& booking, std::uint32_t end) {
  const std::span<const LinkId> route = packet.message->route;
  const std::uint32_t first = packet.hop;
  for (const LiveLink* came = &came_by(packet); packet.hop < end;) {
    LiveLink& link = fabric_.live(route[packet.hop]);
    if (link.ahead == nullptr || !link.ahead->trails || link.hold != nullptr) break;
    if (came->arrivals->expects(came->port - 1)) break;
    if (link.booked > 0 && !is_behind_all(packet, *link.ahead)) break;
    if (link.booked > 0) close_last(link, *link.ahead);
    cross_unbooked(packet, link);
    came = &link;
  }
  booking.trailing = static_cast<std::uint16_t>(packet.hop - first);
  booking.trail = route.data() + first;
  booking.reach = packet.head - booking.first.start;
}

bool Flights::is_behind_all(const Packet& packet, Ahead& there) {
  const Booking& last = there.bookings.back();
  return last.before(count(last) - 1, packet.head, rank(packet.late, packet.port));
}

void Flights::skip(Packet& packet, std::uint32_t links) const {
  for (; links > 0; --links) cross_unbooked(packet, fabric_.live(packet.message->route[packet.hop]));
}

void Flights::cross_unbooked(Packet& packet, const LiveLink& link) {
  const Time takes = link.ahead->overhead + link.wire;
  packet.head += takes;
  packet.tail += takes;
  packet.port = link.port;
  ++packet.hop;
}

// What trails it may still be crossed by these.
void Flights::drop_front(LiveLink& link, Ahead& there) {
  Train* const train = there.bookings.front().train;
  const bool is_kept = keeps(there, there.bookings.front());
  there.bookings.pop_front();
  --link.booked;
  if (!is_kept) release(train);
}

// Of those that have been served here. Trains of packets that come by events there don't go on behind them.
bool Flights::keeps(Ahead& there, const Booking& served) {
  if (served.trailing == 0 || served.shown >= served.served) return false;
  close(there.train);
  for_trailing(served.trail, served.trailing,
               [this](LiveLink&, Ahead& behind, std::uint32_t, Time) { close(behind.train); });
  drop_passed(there);
  there.passing.push_back(served);
  there.passing.back().limit = served.served;
  return true;
}

void Flights::drop_passed(Ahead& there) {
  while (!there.passing.empty() && has_passed(there.passing.front())) {
    Train* const train = there.passing.front().train;
    account(there, there.passing.front());
    there.passing.pop_front();
    release(train);
  }
}

bool Flights::has_passed(const Booking& booking) const {
  return booking.start(booking.served - 1) + booking.reach < fabric_.sim().now();
}

// Each link that trails the booking's, with the time by which packets start there later.
template <class Do>
void Flights::for_trailing(const LinkId* trail, std::uint32_t trailing, Do act) {
  LiveLink* before = &fabric_.live(trail[-1]);
  Time later{};
  for (std::uint32_t i = 0; i < trailing; ++i) {
    LiveLink& link = fabric_.live(trail[i]);
    Ahead& there = *link.ahead;
    later += before->wire + there.overhead;
    act(link, there, before->port, later);
    before = &link;
  }
}

// They have crossed all of them: which these learn together with others, or when somebody looks.
void Flights::account(Ahead& there, const Booking& passed) {
  const auto alike = [&](const Crossed& some) {
    return some.trail == passed.trail && some.trailing == passed.trailing && some.size == passed.size;
  };
  auto& [last, other] = there.crossed;
  if (!alike(last)) {
    std::swap(last, other);
    if (!alike(last)) {
      account(last);
      last = {.trail = passed.trail, .trailing = passed.trailing, .size = passed.size};
    }
  }
  Crossed& crossed = last;
  crossed.packets += passed.served - passed.shown;
  crossed.start = passed.start(passed.served - 1);
  crossed.end = passed.end(passed.served - 1);
}

void Flights::account_all(Ahead& there) {
  for (Crossed& crossed : there.crossed) account(crossed);
}

void Flights::account(Crossed& crossed) {
  if (crossed.packets == 0) return;
  for_trailing(crossed.trail, crossed.trailing, [&](LiveLink& link, Ahead&, std::uint32_t, Time later) {
    link.lane.pass_run(crossed.start + later, crossed.end + later, Time{0}, crossed.packets, crossed.size,
                       link.lane.rate().serialization(crossed.size));
  });
  crossed.packets = 0;
}

// Bookings of their own on the links that trail, of those that have none before that one.
void Flights::show(const Booking& booking, std::uint32_t end) {
  std::uint16_t hop = booking.hop;
  const auto show_at = [&](LiveLink& link, Ahead& there, std::uint32_t port, Time later) {
    if (link.booked > 0) close_last(link, there);
    if (link.booked > 0) serve_before(link, there, fabric_.sim().now(), 0);
    Booking shown = booking;
    const Time comes = later - there.overhead;
    shown.first = {.head = booking.first.start + comes,
                   .tail = booking.first.end + comes,
                   .start = booking.first.start + later,
                   .end = booking.first.end + later};
    shown.gap = booking.step;
    shown.service = link.lane.rate().serialization(booking.size);
    shown.port = port;
    shown.late = 0;
    shown.ends = false;
    shown.hop = ++hop;
    shown.served = booking.shown;
    shown.limit = end;
    shown.trailing = 0;
    auto place = there.bookings.end();
    while (place != there.bookings.begin() &&
           std::prev(place)->head(std::prev(place)->served) > shown.head(shown.served))
      --place;
    if (place == there.bookings.end())
      there.bookings.push_back(shown);
    else
      there.bookings.insert(place, shown);
    ++link.booked;
    if (shown.train != nullptr) ++shown.train->bookings;
    serve_before(link, there, fabric_.sim().now(), 0);
  };
  for_trailing(booking.trail, booking.trailing, show_at);
}

// Whoever looks sees what the links that trail it have done by now.
void Flights::show_passing(LiveLink& link, Ahead& there) {
  drop_passed(there);
  account_all(there);
  for (Booking& booking : there.passing) {
    show(booking, booking.served);
    release(booking.train);
  }
  there.passing.clear();
  if (link.booked == 0) return;
  Booking& first = there.bookings.front();
  if (first.trailing == 0 || first.shown >= first.served) return;
  show(first, first.served);
  first.shown = first.served;
}

// From now on all of its packets have bookings of their own there.
void Flights::unfold(Ahead& there, Booking& booking) {
  if (booking.trailing == 0) return;
  close(booking.train);
  if (booking.shown < count(booking)) show(booking, count(booking));
  booking.trailing = 0;
  drop_passed(there);
}

void Flights::unfold_all(LiveLink& link) {
  Ahead& there = ahead(link);
  show_passing(link, there);
  for (Booking& booking : there.bookings) unfold(there, booking);
}

// Of all whose packets may cross the link.
void Flights::unfold(LiveLink& link) {
  for (const Ahead* there = &ahead(link); there->trails; there = &ahead(*there->before))
    unfold_all(*there->before);
}

// Somebody may be on it, or come, without a booking there.
bool Flights::is_trailed(LiveLink& link) {
  for (const Ahead* there = link.ahead; there != nullptr && there->trails; there = &ahead(*there->before)) {
    Ahead& before = ahead(*there->before);
    if (there->before->booked > 0) serve_before(*there->before, before, fabric_.sim().now(), 0);
    drop_passed(before);
    account_all(before);
    if (!before.passing.empty()) return true;
    if (std::ranges::any_of(before.bookings, [](const Booking& each) { return each.trailing > 0; }))
      return true;
  }
  return false;
}

}  // namespace kbsim::hw
