#include "reserve_again.hpp"

#include <algorithm>
#include <span>

#include "crossing.hpp"
#include "reservations.hpp"

namespace kbsim::hw {

// True if all packets are reserved to the end of the train, and none arrives now.
bool ReserveAgain::may_reserve_again(const Reservation& taken) const {
  constexpr std::uint8_t kOften = 8;
  if (taken.hop == 0 || taken.late != 0 || taken.head(taken.served) <= fabric_.sim().now()) return false;
  if (taken.train == nullptr) return true;
  const Train& train = *taken.train;
  if (train.again >= kOften || is_burst_entry(taken)) return false;
  for (std::uint32_t i = taken.served; i < std::min(count(taken), train.packets.end()); ++i) {
    if (const Packet* const known = train.known(i); known != nullptr && known->hop != train.to) return false;
  }
  return true;
}

// Its train stays as long as it.
void ReserveAgain::keep(const Reservation& taken) {
  taken_.push_back(taken);
  if (taken.train == nullptr) return;
  ++taken.train->reservations;
  ++taken.train->again;
}

// Kept reservations of the same packets at a later hop end before packet `from`. Where routes form a ring, a
// revocation may reach these packets on their way to the link where they are kept.
void ReserveAgain::shorten_kept(const Reservation& earlier, std::uint32_t from) {
  for (Reservation& kept : taken_) {
    if (kept.hop <= earlier.hop || kept.train != earlier.train) continue;
    if (kept.train != nullptr)
      kept.limit = std::min(kept.limit, from);
    else if (kept.packet == earlier.packet)
      kept.served = 1;
  }
}

void ReserveAgain::replay_kept() {
  for (const Reservation& taken : taken_) {
    all_.revocation.replay(taken);
    all_.trains.release(taken.train);
  }
  taken_.clear();
}

void ReserveAgain::reserve_again() {
  for (; !taken_.empty(); taken_.pop_back()) {
    const Reservation taken = taken_.back();
    reserve_kept(taken);
    all_.trains.release(taken.train);
  }
}

// Reserves again in a few runs; the remaining packets arrive by events.
void ReserveAgain::reserve_kept(const Reservation& taken) {
  constexpr int kFewRuns = 3;
  if (taken.train == nullptr) return reserve_one(taken);
  Reservation rest = taken;
  for (int runs = 0; runs < kFewRuns && rest.served < count(taken); ++runs) {
    const std::uint32_t reserved = reserve_run(taken, rest.served);
    if (reserved == 0) break;
    rest.served += reserved;
  }
  if (rest.served < count(taken)) all_.revocation.replay(rest);
}

// Reserves from the link on as if the packet arrived there just now.
void ReserveAgain::reserve_one(const Reservation& taken) {
  if (taken.served > 0) return;
  Packet& packet = *taken.packet;
  all_.revocation.withdraw(packet);
  move_back(taken, 0, packet);
  LiveLink& ingress = all_.ingress_of(packet);
  all_.routes.go_on(packet, &ingress, nullptr, all_.ahead(ingress).train,
                    {.head = packet.head, .tail = packet.tail});
}

// Reserves again for the packets from `from` on; returns how many.
std::uint32_t ReserveAgain::reserve_run(const Reservation& taken, std::uint32_t from) {
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
  const std::uint32_t reserved = paces ? left : 1;
  reserve_links(taken, from, from + reserved);
  return reserved;
}

// Passes the packet and the next, `gap` after it, over the rest of their route as if they were reserved.
// False if they can't be.
bool ReserveAgain::pass_on(Packet packet, Time gap, std::uint32_t to, bool& paces) {
  Packet next = packet;
  next.head += gap;
  next.tail += gap;
  two_passages_.clear();
  while (packet.hop < to) {
    const LiveLink& ingress = fabric_.live(packet.message->route[packet.hop - 1]);
    LiveLink& link = fabric_.next_link(packet);
    LinkAhead& there = all_.ahead(link);
    if (ingress.arrivals->expects(ingress.port - 1) || !all_.routes.may_reserve(packet, link, there))
      return false;
    const Time service = link.lane.service(packet.size);
    const Passage one = passage(packet, there.overhead, all_.timetables.free(link, there), service);
    const Passage two = passage(next, there.overhead, one.end, service);
    paces = paces && steady(one, two, there.overhead, service);
    cross(packet, link, one);
    cross(next, link, two);
    Reservation crossing{.first = one};
    all_.shadows.cross_shadowed(packet, crossing, to);
    all_.shadows.skip(next, link, crossing.shadowed, crossing.reach);
    two_passages_.push_back({one, two, service, crossing.shadowed, crossing.reach});
  }
  return true;
}

// Reservations have the times of the train's first packet, as if it arrived and left at the pace of this run.
void ReserveAgain::reserve_links(const Reservation& taken, std::uint32_t from, std::uint32_t end) {
  Train& train = *taken.train;
  const std::span<const LinkId> route = train.message->route;
  std::uint32_t hop = taken.hop;
  std::uint32_t port = taken.port;
  Reservation last;
  for (const auto& [one, two, service, shadowed, reach] : two_passages_) {
    LiveLink& link = fabric_.live(route[hop]);
    LinkAhead& there = all_.ahead(link);
    const bool is_one = end - from == 1;
    const Time gap = is_one ? Time{0} : two.head - one.head;
    const Time step = is_one ? Time{0} : two.start - one.start;
    if (link.reserved > 0) all_.timetables.close_last(link, there);
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
            .ends = train.unobserved && hop + 1 == train.to,
            .hop = static_cast<std::uint16_t>(hop),
            .shadowed = static_cast<std::uint16_t>(shadowed),
            .shown = from,
            .served = from,
            .limit = end,
            .shadow = route.data() + hop + 1,
            .reach = reach};
    there.reservations.push_back(last);
    ++link.reserved;
    ++train.reservations;
    hop += 1 + shadowed;
    port = fabric_.live(route[hop - 1]).port;
  }
  move_ends(train, last, from, end);
}

// Moves the arrivals of those packets that are observed there.
void ReserveAgain::move_ends(Train& train, const Reservation& last, std::uint32_t from, std::uint32_t end) {
  LiveLink& ingress = fabric_.live(train.message->route[train.to - 1]);
  for (std::uint32_t i = from; i < std::min(end, train.packets.end()); ++i) {
    Packet* const packet = train.known(i);
    if (packet == nullptr) continue;
    all_.revocation.withdraw(*packet);
    packet->head = last.start(i) + last.reach;
    packet->tail = last.end(i) + last.reach;
    all_.routes.arrive_at_end(*packet, ingress);
  }
}

}  // namespace kbsim::hw
