// Packets that are reserved again after a packet that arrived before them. The rest of their route gets new
// reservations, as runs at a constant pace. Their reservations before that link stay.
#include <algorithm>

#include "flights.hpp"

namespace kbsim::hw {

// All packets must go on to the end of the train.
bool Flights::may_tell_again(const Booking& taken) const {
  constexpr std::uint8_t kOften = 8;
  if (taken.hop == 0 || taken.late != 0 || taken.head(taken.served) <= fabric_.sim().now()) return false;
  if (taken.train == nullptr) return true;
  const Train& train = *taken.train;
  if (train.again >= kOften || is_paced(taken)) return false;
  for (std::uint32_t i = taken.served; i < std::min(count(taken), train.packets.end()); ++i) {
    if (const Packet* const known = train.known(i); known != nullptr && known->hop != train.to) return false;
  }
  return true;
}

// The train is kept meanwhile, too.
void Flights::keep(const Booking& taken) {
  taken_.push_back(taken);
  if (taken.train == nullptr) return;
  ++taken.train->bookings;
  ++taken.train->again;
}

// Kept reservations of the same packets at a later hop end before packet `from`. Where routes form a ring, a
// revocation may reach these packets on their way to the link where they are kept.
void Flights::shorten_kept(const Booking& earlier, std::uint32_t from) {
  for (Booking& kept : taken_) {
    if (kept.hop <= earlier.hop || kept.train != earlier.train) continue;
    if (kept.train != nullptr)
      kept.limit = std::min(kept.limit, from);
    else if (kept.packet == earlier.packet)
      kept.served = 1;
  }
}

// All kept packets arrive by events.
void Flights::let_come() {
  for (const Booking& taken : taken_) {
    come_again(taken);
    release(taken.train);
  }
  taken_.clear();
}

void Flights::tell_again() {
  for (; !taken_.empty(); taken_.pop_back()) {
    const Booking taken = taken_.back();
    tell(taken);
    release(taken.train);
  }
}

Bytes Flights::size_of(const Booking& booking, std::uint32_t index) {
  return index == booking.shorter ? booking.train->last_size : booking.size;
}

// Reserves again in a few runs; the rest arrives by events.
void Flights::tell(const Booking& taken) {
  constexpr int kFewRuns = 3;
  if (taken.train == nullptr) return tell_one(taken);
  Booking rest = taken;
  for (int runs = 0; runs < kFewRuns && rest.served < count(taken); ++runs) {
    const std::uint32_t told = tell_run(taken, rest.served);
    if (told == 0) break;
    rest.served += told;
  }
  if (rest.served < count(taken)) come_again(rest);
}

// Reserves as if the packet arrived there just now.
void Flights::tell_one(const Booking& taken) {
  if (taken.served > 0) return;
  Packet& packet = *taken.packet;
  withdraw(packet);
  goes_back(taken, 0, packet);
  LiveLink& came = came_by(packet);
  go_on(packet, &came, nullptr, ahead(came).train, {.head = packet.head, .tail = packet.tail});
}

// Reserves again for the packets from `from` on; returns how many.
std::uint32_t Flights::tell_run(const Booking& taken, std::uint32_t from) {
  Train& train = *taken.train;
  const bool ends_shorter = taken.shorter + 1 == count(taken) && from < taken.shorter;
  const std::uint32_t left = count(taken) - from - (ends_shorter ? 1 : 0);
  bool paces = left > 1;
  const Packet first{.message = train.message,
                     .size = size_of(taken, from),
                     .head = taken.head(from),
                     .tail = taken.tail(from),
                     .hop = taken.hop,
                     .port = taken.port,
                     .ordinal = train.ordinal + from};
  if (!pass_on(first, taken.gap, train.to, paces)) return 0;
  const std::uint32_t told = paces ? left : 1;
  book_run(taken, from, from + told);
  return told;
}

// Passes the packet and the next, `gap` after it, over the rest of their route as if they were reserved.
// False if they can't be.
bool Flights::pass_on(Packet packet, Time gap, std::uint32_t to, bool& paces) {
  Packet next = packet;
  next.head += gap;
  next.tail += gap;
  two_passages_.clear();
  while (packet.hop < to) {
    const LiveLink& came = fabric_.live(packet.message->route[packet.hop - 1]);
    LiveLink& link = fabric_.next_link(packet);
    Ahead& there = ahead(link);
    if (came.arrivals->expects(came.port - 1) || !may_book(packet, link, there)) return false;
    const Time service = link.lane.rate().serialization(packet.size);
    const Passage one = passage(packet, there.overhead, free(link, there), service);
    const Passage two = passage(next, there.overhead, one.end, service);
    paces = paces && steady(one, two, there.overhead, service);
    cross(packet, link, one);
    cross(next, link, two);
    Booking trailed{.first = one};
    cross_trailing(packet, trailed, to);
    skip(next, link, trailed.trailing, trailed.reach);
    two_passages_.push_back({one, two, service, trailed.trailing, trailed.reach});
  }
  return true;
}

// Reservations have the times of the train's first packet, as if it arrived and left at the pace of this run.
void Flights::book_run(const Booking& taken, std::uint32_t from, std::uint32_t end) {
  Train& train = *taken.train;
  const std::span<const LinkId> route = train.message->route;
  std::uint32_t hop = taken.hop;
  std::uint32_t port = taken.port;
  Booking last;
  for (const auto& [one, two, service, trailing, reach] : two_passages_) {
    LiveLink& link = fabric_.live(route[hop]);
    Ahead& there = ahead(link);
    const bool is_one = end - from == 1;
    const Time gap = is_one ? Time{0} : two.head - one.head;
    const Time step = is_one ? Time{0} : two.start - one.start;
    if (link.booked > 0) close_last(link, there);
    last = {.train = &train,
            .first = {.head = one.head - from * gap,
                      .tail = one.tail - from * gap,
                      .start = one.start - from * step,
                      .end = one.end - from * step},
            .gap = gap,
            .step = step,
            .service = service,
            .size = size_of(taken, from),
            .port = port,
            .ends = train.unheard && hop + 1 == train.to,
            .hop = static_cast<std::uint16_t>(hop),
            .trailing = static_cast<std::uint16_t>(trailing),
            .shown = from,
            .served = from,
            .limit = end,
            .trail = route.data() + hop + 1,
            .reach = reach};
    there.bookings.push_back(last);
    ++link.booked;
    ++train.bookings;
    hop += 1 + trailing;
    port = fabric_.live(route[hop - 1]).port;
  }
  move_ends(train, last, from, end);
}

// Moves the arrivals of those packets that are observed there.
void Flights::move_ends(Train& train, const Booking& last, std::uint32_t from, std::uint32_t end) {
  LiveLink& came = fabric_.live(train.message->route[train.to - 1]);
  for (std::uint32_t i = from; i < std::min(end, train.packets.end()); ++i) {
    Packet* const packet = train.known(i);
    if (packet == nullptr) continue;
    withdraw(*packet);
    packet->head = last.start(i) + last.reach;
    packet->tail = last.end(i) + last.reach;
    come_to_end(*packet, came);
  }
}

}  // namespace kbsim::hw
