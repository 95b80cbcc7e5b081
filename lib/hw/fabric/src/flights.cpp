#include "flights.hpp"

#include <algorithm>
#include <iterator>

#include "kbsim/hw/fabric/component.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

std::uint32_t route_end(const Packet& packet) {
  return static_cast<std::uint32_t>(packet.message->route.size());
}

bool more_follow(const Packet& packet) { return packet.ordinal + 1 < packet.message->packets; }

}  // namespace

// A link between processes is known to both of them.
Flights::Flights(Fabric& fabric) : fabric_{fabric}, is_whole_{fabric.is_whole()} {
  for (LiveLink& link : fabric.links_) {
    if (link.border() != nullptr && link.ahead == nullptr) (void)look_ahead(link);
  }
}

LinkAhead& Flights::look_ahead(LiveLink& link) {
  const Component& from = fabric_.component(link.from);
  const bool is_leaf =
      fabric_.graph().out(link.from).size() == 1 && fabric_.places_->inputs[link.from.value()] == 1;
  const bool crosses = link.border() != nullptr;  // packets that were handed over can't be revoked
  link.ahead = &ahead_.emplace_back();
  link.ahead->books = fabric_.arrivals(link.from) != nullptr && !crosses;
  link.ahead->is_source = is_leaf && from.only_answers() && fabric_.goes_at_once(link) && !crosses;
  link.ahead->overhead = from.overhead();
  if (!crosses) find_end(link);
  return *link.ahead;
}

// The next packets reserve no further. Their number doubles with each revocation, up to a limit.
void Doubt::grow() {
  constexpr std::uint8_t kMostDoubt = 4;
  pause_ = static_cast<std::uint16_t>(1U << doubt_);
  if (doubt_ < kMostDoubt) ++doubt_;
  tries_ = 0;
}

bool Doubt::pauses() {
  constexpr std::uint32_t kTries = 16;  // packets without a pause until the doubt shrinks
  if (pause_ > 0) return --pause_, true;
  if (doubt_ > 0 && ++tries_ == kTries) --doubt_, tries_ = 0;
  return false;
}

void Flights::book(Packet& packet, LiveLink& came) {
  Ahead& here = ahead(came);
  if (joins(packet, here.train)) return;
  go_on(packet, &came, nullptr, here.train, {.head = packet.head, .tail = packet.tail});
}

// Packets of one time leave in an order that depends on their content, so all of them leave by events.
bool Flights::leave(Packet& packet) {
  LiveLink& link = fabric_.next_link(packet);
  Ahead& there = ahead(link);
  if (!there.is_source) return false;
  if (packet.head <= fabric_.sim().now() || !comes_last(packet, link, there) || there.own_doubt.pauses()) {
    there.posted = std::max(there.posted, packet.head);
    return false;
  }
  if (joins(packet, there.own_train)) return true;
  Train* const train = more_follow(packet) ? &begin(packet, there.own_train) : nullptr;
  const Passage at_first{.head = packet.head, .tail = packet.tail};
  book(packet, link, there, train);
  go_on(packet, &link, train, there.own_train, at_first);
  return true;
}

// A packet that leaves by an event revokes the reservations after it.
bool Flights::comes_last(const Packet& packet, LiveLink& link, Ahead& there) {
  serve_before(link, there, fabric_.sim().now(), 1);
  bool last = there.posted < fabric_.sim().now();
  while (link.booked > 0) {
    const Booking& back = there.bookings.back();
    if (back.head(count(back) - 1) < packet.head) break;
    take_back_last(link, there);
    last = false;
  }
  tell_holders();
  return last;
}

// Prefetches the state of the next links of the route, which is scattered in memory. For the farthest link it
// fetches only the LiveLink, which points to the rest. Links of another process are not read.
[[gnu::always_inline]] inline void Flights::fetch_ahead(const Packet& packet) {
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
    __builtin_prefetch(&link->ahead->bookings);
    __builtin_prefetch(&link->ahead->doubt);
  }
  if (LiveLink* const link = own_at(packet.hop + 1); link != nullptr && link->booked > 0) {
    __builtin_prefetch(link->ahead->bookings.begin());
    __builtin_prefetch(&link->ahead->bookings.begin()->size);
  }
}

// Reserves from the end of `came` on, as far as possible.
void Flights::go_on(Packet& packet, LiveLink* came, Train* train, Train*& keeper, const Passage& at_first) {
  while (came->arrivals != nullptr) {
    fetch_ahead(packet);
    const bool goes_on = !fabric_.at_end(packet) && !ahead(*came).doubt.pauses() &&
                         !came->arrivals->expects_many(came->port - 1);
    LiveLink* const link = goes_on ? &fabric_.next_link(packet) : nullptr;
    if (link == nullptr) break;
    if (!may_book(packet, *link, ahead(*link)) && !comes_before_few(packet, *link, ahead(*link))) {
      if (train != nullptr || more_follow(packet) || !goes_between(packet, *link, ahead(*link))) break;
    } else {
      if (train == nullptr && (more_follow(packet) || packet.paced)) train = &begin(packet, keeper);
      book(packet, *link, ahead(*link), train);
    }
    came = &came_by(packet);
  }
  if (train != nullptr) {
    train->to = packet.hop;
    train->last = {.head = at_first.head, .tail = at_first.tail, .start = packet.head, .end = packet.tail};
  }
  end_flight(packet, *came, train);
}

// If the first packet of a train is unobserved, all others are, too, except the last of the message.
void Flights::end_flight(Packet& packet, LiveLink& came, Train* train) {
  if (train == nullptr) return come_to_end(packet, came);
  Ahead& there = ahead(came);
  train->unheard = is_unheard(packet, there);
  if (!train->unheard) {
    train->packets.set(0, packet);
    return come_to_end(packet, came);
  }
  there.bookings.back().ends = true;
  fabric_.free(packet);
}

void Flights::come_to_end(Packet& packet, LiveLink& came) {
  if (came.arrivals != nullptr) return came.arrivals->push(came.port - 1, packet);
  fabric_.come_to(packet, came);
}

bool Flights::may_book(const Packet& packet, LiveLink& link, Ahead& there) {
  if (!there.books || link.hold != nullptr) return false;
  if (link.booked > 0) serve_before(link, there, fabric_.sim().now(), 0);
  return link.booked == 0 || is_behind_all(packet, there);
}

// The first of many packets, before one or two that are reserved alone. The few arrive there by events, and
// the many are reserved again after each of them.
bool Flights::comes_before_few(const Packet& packet, LiveLink& link, Ahead& there) {
  constexpr std::uint32_t kMany = 8;
  constexpr int kFew = 2;
  if (!there.books || link.hold != nullptr || packet.message->packets - packet.ordinal < kMany) return false;
  for (int i = 0; i < kFew; ++i) {
    if (!goes_alone(there.bookings.back())) return false;
    take_back_last(link, there);
    if (may_book(packet, link, there)) return true;
  }
  return false;
}

// True if no packet is reserved after this one, on any link of its route.
bool Flights::goes_alone(const Booking& booking) {
  if (booking.train != nullptr || booking.hop == 0 || booking.served > 0) return false;
  for (std::uint32_t hop = booking.hop; hop < booking.packet->hop; ++hop) {
    Ahead& there = ahead(fabric_.live(booking.packet->message->route[hop]));
    InOrder<Booking>& others = there.bookings;
    if (there.trails && others.empty()) continue;
    if (others.empty() || others.back().packet != booking.packet || others.back().train != nullptr)
      return false;
  }
  return true;
}

// Reserves before others if none of them waits for the packet: it must fit between two reservations.
bool Flights::goes_between(Packet& packet, LiveLink& link, Ahead& there) {
  constexpr std::ptrdiff_t kFew = 8;
  if (packet.paced || !there.books || link.hold != nullptr || link.booked == 0) return false;
  const ArrivalRank own_rank = rank(packet.late, packet.port);
  const auto is_before = [&](const Booking& other) {
    const std::uint32_t packets = count(other);
    return other.served == packets || other.before(packets - 1, packet.head, own_rank);
  };
  auto next = there.bookings.end();
  while (next != there.bookings.begin() && !is_before(*std::prev(next))) {
    --next;
    if (next->before(next->served, packet.head, own_rank) || there.bookings.end() - next > kFew) return false;
  }
  if (next == there.bookings.end()) return false;
  const Time service = link.lane.rate().serialization(packet.size);
  const Passage own = passage(packet, there.overhead, free(link, there, next), service);
  if (own.end > next->start(next->served)) return false;
  if (next->served > 0) split(there, *next);
  Booking booking = booking_of(packet, own, service, nullptr);
  cross(packet, link, own);
  cross_trailing(packet, booking, route_end(packet));
  there.bookings.insert(next, booking);
  ++link.booked;
  return true;
}

void Flights::book(Packet& packet, LiveLink& link, Ahead& there, Train* train) {
  const Time service = link.lane.rate().serialization(packet.size);
  const Passage first = passage(packet, there.overhead, free(link, there), service);
  if (link.booked > 0) close_last(link, there);
  there.bookings.push_back(booking_of(packet, first, service, train));
  ++link.booked;
  if (train != nullptr) ++train->bookings;
  cross(packet, link, first);
  cross_trailing(packet, there.bookings.back(), route_end(packet));
}

Booking Flights::booking_of(Packet& packet, const Passage& first, Time service, Train* train) {
  return {.packet = &packet,
          .train = train,
          .first = first,
          .service = service,
          .size = packet.size,
          .port = packet.port,
          .late = packet.late,
          .hop = static_cast<std::uint16_t>(packet.hop)};
}

Passage Flights::passage(const Packet& packet, Time overhead, Time free, Time service) {
  const Time start = std::max(packet.head + overhead, free);
  return {.head = packet.head,
          .tail = packet.tail,
          .start = start,
          .end = std::max(start + service, packet.tail + overhead)};
}

void Flights::cross(Packet& packet, const LiveLink& link, const Passage& passage) {
  packet.head = passage.start + link.wire;
  packet.tail = passage.end + link.wire;
  packet.port = link.port;
  packet.late = 0;
  packet.paced = false;
  ++packet.hop;
}

std::uint32_t Flights::count(const Booking& booking) {
  if (booking.train == nullptr) return 1;
  return std::min(booking.limit, booking.train->count);
}

// The hop at which the packet arrives by an event, or at its end.
std::uint32_t Flights::hop_of(const Booking& booking, std::uint32_t index) {
  if (booking.train == nullptr) return booking.packet->hop;
  const Packet* const known = booking.train->known(index);
  return known != nullptr ? known->hop : booking.train->to;
}

Time Flights::free(const LiveLink& link, Ahead& there) { return free(link, there, there.bookings.end()); }

// When all packets before `next` are served. After packets whose time is past, others may have gone by
// events.
Time Flights::free(const LiveLink& link, Ahead& there, InOrder<Booking>::Place next) {
  if (next == there.bookings.begin()) return link.lane.free();
  const Booking& last = *std::prev(next);
  const std::uint32_t packets = count(last);
  return last.served == packets ? link.lane.free() : last.end(packets - 1);
}

// Serves `packets` packets of one size, from `i` on.
[[gnu::always_inline]] inline void Flights::serve_alike(LiveLink& link, const Ahead& there,
                                                        const Booking& booking, std::uint32_t i,
                                                        std::uint32_t packets, Bytes size, Time service) {
  const Time head = booking.head(i) + there.overhead;
  const Time tail = booking.tail(i) + there.overhead;
  if (there.trails) [[unlikely]]
    link.lane.pass_run(head, booking.end(i + packets - 1), booking.gap, packets, size, service);
  else if (packets == 1)
    (void)link.lane.reserve(head, tail, size, service);
  else
    (void)link.lane.reserve_run(head, tail, booking.gap, packets, size, service);
}

void Flights::serve_shorter(LiveLink& link, const Ahead& there, const Booking& booking) {
  const Bytes size = booking.train->last_size;
  serve_alike(link, there, booking, booking.shorter, 1, size, link.lane.rate().serialization(size));
}

// Serves the next packets of a train.
[[gnu::always_inline]] inline void Flights::serve_run(LiveLink& link, Ahead& there, const Booking& booking,
                                                      std::uint32_t packets) {
  const std::uint32_t first = booking.served;
  const bool with_shorter = first + packets - 1 == booking.shorter;
  const std::uint32_t alike = packets - (with_shorter ? 1 : 0);
  if (alike > 0) serve_alike(link, there, booking, first, alike, booking.size, booking.service);
  if (with_shorter) serve_shorter(link, there, booking);
  if (!booking.ends) return;
  const std::uint32_t ordinal = booking.train->ordinal + first;
  const bool with_last = ordinal + packets == booking.train->message->packets;
  if (with_last && packets == 1) return;
  go_unheard(there, {.message = booking.train->message,
                     .size = booking.size,
                     .head = booking.first.start + first * booking.step + link.wire,
                     .tail = booking.end(first) + link.wire,
                     .gap = booking.step,
                     .ordinal = ordinal,
                     .count = packets - (with_last ? 1 : 0)});
}

// Serves the packets of the first train that arrive before this time and rank. False if some are left, or may
// be added: a train that may grow keeps its reservations.
[[gnu::always_inline]] inline bool Flights::serve_train(LiveLink& link, Ahead& there, Time at,
                                                        ArrivalRank other) {
  Booking& booking = there.bookings.front();
  const std::uint32_t packets = count(booking);
  if (booking.served < packets) {
    const std::uint32_t past =
        count_before(booking.head(booking.served), booking.gap, packets - booking.served, at,
                     rank(booking.late, booking.port) < other);
    if (past > 0) serve_run(link, there, booking, past);
    booking.served += past;
  }
  if (booking.served < packets || booking.train->open) return false;
  drop_front(link, there);
  return true;
}

// Serves all packets that arrive before this time and rank, as they would have been served on arrival.
void Flights::serve_before(LiveLink& link, Ahead& there, Time at, ArrivalRank other) {
  while (link.booked > 0) {
    const Booking& first = there.bookings.front();
    if (first.train != nullptr) {
      if (!serve_train(link, there, at, other)) return;
      continue;
    }
    if (!first.before(0, at, other)) return;
    if (there.trails) [[unlikely]]
      link.lane.pass_run(first.first.start, first.first.end, Time{0}, 1, first.size, first.service);
    else
      (void)link.lane.reserve(first.first.head + there.overhead, first.first.tail + there.overhead,
                              first.size, first.service);
    there.bookings.front().served = 1;
    drop_front(link, there);
  }
}

bool Flights::none_on(LiveLink& link) {
  if (is_trailed(link)) return false;
  if (link.booked > 0) serve_before(link, ahead(link), fabric_.sim().now(), 0);
  if (link.booked > 0) return false;
  if (link.merges != 0) merge(link, fabric_.sim().now(), 0);
  if (link.ahead == nullptr || link.ahead->end == Ahead::End::heard) return true;
  if (link.ahead->end == Ahead::End::passed)
    merge(*link.ahead->behind, fabric_.sim().now(), 0);
  else
    catch_up(link);
  return link.ahead->unheard.empty();
}

// Once at each time is enough: packets reserved at this time arrive later.
void Flights::serve_past() {
  if (served_ == fabric_.sim().now()) return;
  served_ = fabric_.sim().now();
  for (LiveLink& link : fabric_.links_) {
    const bool is_ours = link.booked > 0 && &fabric_.owner(link.from) == &fabric_;
    if (is_ours) serve_before(link, ahead(link), fabric_.sim().now(), 0);
    if (link.merges != 0 && &fabric_.owner(link.from) == &fabric_) merge(link, fabric_.sim().now(), 0);
  }
  for (LiveLink& link : fabric_.links_) {
    if (link.ahead != nullptr && &fabric_.owner(link.from) == &fabric_) show_passing(link, *link.ahead);
  }
  for (LiveLink& link : fabric_.links_) {
    if (link.ahead != nullptr && &fabric_.owner(link.to) == &fabric_) catch_up(link);
  }
}

}  // namespace kbsim::hw
