#include "flights.hpp"

#include <algorithm>
#include <limits>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

Flights::Flights(Fabric& fabric) : fabric_{fabric}, ahead_(fabric.links_.size()) {
  for (const LiveLink& link : fabric.links_) {
    ahead(link).books = fabric.arrivals(link.from) != nullptr;
    ahead(link).overhead = fabric.component(link.from).overhead();
  }
}

// The next that come by this link book no further: the more often others came before them, the more.
void Flights::pause(Ahead& came) {
  constexpr std::uint32_t kMostDoubt = 10;
  came.pause = 1U << came.doubt;
  came.doubt = std::min(came.doubt + 1, kMostDoubt);
  came.tries = 0;
}

bool Flights::pauses(Ahead& came) {
  constexpr std::uint32_t kTries = 16;  // without a pause, and there is less doubt
  if (came.pause > 0) return --came.pause, true;
  if (came.doubt > 0 && ++came.tries == kTries) --came.doubt, came.tries = 0;
  return false;
}

void Flights::book(Packet& packet, LiveLink& first) {
  LiveLink* came = &first;
  while (came->arrivals != nullptr) {
    const bool goes_on =
        !fabric_.at_end(packet) && !pauses(ahead(*came)) && !came->arrivals->expects(came->port - 1);
    LiveLink* const link = goes_on ? &fabric_.next_link(packet) : nullptr;
    if (link == nullptr || !may_book(packet, *link, ahead(*link)))
      return came->arrivals->push(came->port - 1, packet);
    book(packet, *link, ahead(*link));
    came = link;
  }
  fabric_.come_to(packet, *came);
}

bool Flights::may_book(const Packet& packet, LiveLink& link, Ahead& there) {
  if (!there.books) return false;
  serve_past(link, there);
  return there.bookings.empty() || there.bookings.back().before(packet.head, packet.port);
}

void Flights::book(Packet& packet, LiveLink& link, Ahead& there) {
  const Time free = there.bookings.empty() ? link.lane.free() : there.bookings.back().free;
  const Time start = std::max(packet.head + there.overhead, free);
  const Time end =
      std::max(start + link.lane.rate().serialization(packet.size), packet.tail + there.overhead);
  there.bookings.push_back({.packet = &packet,
                            .head = packet.head,
                            .tail = packet.tail,
                            .free = end,
                            .size = packet.size,
                            .port = packet.port,
                            .hop = packet.hop});
  ++link.booked;
  packet.head = start + link.wire;
  packet.tail = end + link.wire;
  packet.port = link.port;
  ++packet.hop;
}

// As it would have been served when it came.
void Flights::serve_first(LiveLink& link, Ahead& there) {
  const Booking& first = there.bookings.front();
  (void)link.lane.reserve(first.head + there.overhead, first.tail + there.overhead, first.size);
  there.bookings.pop_front();
  --link.booked;
}

void Flights::serve_past(LiveLink& link, Ahead& there) {
  const Time now = fabric_.sim().now();
  while (!there.bookings.empty() && there.bookings.front().head < now) serve_first(link, there);
}

void Flights::serve_past() {
  for (LiveLink& link : fabric_.links_) serve_past(link, ahead(link));
}

// One that was sent late comes after all that were booked for this time: those were sent before.
void Flights::make_way(LiveLink& link, const Packet& packet) {
  Ahead& here = ahead(link);
  const std::uint32_t port = packet.late ? std::numeric_limits<std::uint32_t>::max() : packet.port;
  while (!here.bookings.empty() && here.bookings.front().before(fabric_.sim().now(), port))
    serve_first(link, here);
  while (!here.bookings.empty()) take_back(last(link, here));
}

Booking Flights::last(LiveLink& link, Ahead& there) {
  --link.booked;
  return there.bookings.pop_back();
}

// From here on, with all that is behind it further on. Meanwhile it may be taken back from there by others.
void Flights::take_back(const Booking& booking) {
  Packet& packet = *booking.packet;
  const topology::Route& route = *packet.message->route;
  for (std::uint32_t hop = booking.hop + 1; hop < packet.hop; ++hop) {
    LiveLink& later = fabric_.live(route[hop]);
    for (;;) {
      const Booking behind = last(later, ahead(later));
      if (behind.packet == &packet && behind.hop == hop) break;
      take_back(behind);
    }
  }
  withdraw(packet);
  LiveLink& came = fabric_.live(route[booking.hop - 1]);
  pause(ahead(came));
  packet.hop = booking.hop;
  packet.head = booking.head;
  packet.tail = booking.tail;
  packet.port = booking.port;
  came.arrivals->push(booking.port - 1, packet);
}

// From where it is to come next.
void Flights::withdraw(Packet& packet) {
  LiveLink& came = fabric_.live((*packet.message->route)[packet.hop - 1]);
  if (came.arrivals != nullptr)
    came.arrivals->withdraw(came.port - 1, packet);
  else
    fabric_.component(came.to).inbox().withdraw(packet);
}

}  // namespace kbsim::hw
