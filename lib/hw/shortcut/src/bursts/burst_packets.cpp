#include "burst_packets.hpp"

#include <algorithm>
#include <span>

#include "../trains/reservations.hpp"

namespace kbsim::hw {

std::int64_t BurstPackets::enter(Message& message, PacketRun run, const BurstEntry& entry) {
  LiveLink& ingress = fabric_.live(message.route[entry.hop - 1]);
  PacketRun arriving = run;
  arriving.head = entry.head;
  arriving.tail = entry.tail;
  std::int64_t entered = 0;
  const auto pass = [&](std::int64_t n) {
    fabric_.message_counts().under_way -= n * run.head + n * (n - 1) / 2 * run.gap;
    message.injected += static_cast<std::uint32_t>(n);
    message.source_tail = run.tail + (n - 1) * run.gap;
    for (PacketRun* const each : {&run, &arriving}) each->head += n * run.gap, each->tail += n * run.gap;
    entered += n;
  };
  while (entered < run.count) {
    Packet& packet = fabric_.allocate();
    packet = {.message = &message, .size = run.size, .ordinal = message.injected, .injected = run.head};
    BurstEntry next = entry;
    next.head = arriving.head;
    next.tail = arriving.tail;
    if (!enter(packet, next)) {
      fabric_.free(packet);
      break;
    }
    if (message.injected == 0) message.sent = run.head;
    pass(1);
    PacketRun more = arriving;
    more.count = run.count - entered;
    if (more.count == 0) break;
    const std::int64_t reserved = all_.trains.extend(all_.ahead(ingress).train, message, more);
    if (reserved > 0) pass(reserved);
  }
  return entered;
}

bool BurstPackets::enter(Packet& packet, const BurstEntry& entry) {
  LiveLink& ingress = fabric_.live(packet.message->route[entry.hop - 1]);
  packet.hop = entry.hop;
  packet.head = entry.head;
  packet.tail = entry.tail;
  packet.port = ingress.port;
  packet.late = entry.late;
  packet.in_burst = true;
  return enters(packet, ingress, entry);
}

// Reservations don't know in which order packets arrive by events. So a burst doesn't enter while some are
// expected.
bool BurstPackets::enters(Packet& packet, LiveLink& ingress, const BurstEntry& entry) {
  LinkAhead& here = all_.ahead(ingress);
  if (here.train != nullptr && (here.train->lag != entry.lag || here.train->batch != entry.batch))
    all_.trains.close(here.train);
  if (all_.trains.joins(packet, here.train)) return true;
  if (ingress.arrivals->expects(ingress.port - 1) || here.back_off.pauses()) return false;
  LiveLink& link = fabric_.next_link(packet);
  if (!all_.routes.may_reserve(packet, link, all_.ahead(link))) return false;
  all_.routes.go_on(packet, &ingress, nullptr, here.train, {.head = packet.head, .tail = packet.tail});
  here.train->batch = entry.batch;
  here.train->lag = entry.lag;
  return true;
}

void BurstPackets::leave_out(const Message& message, std::uint32_t hop, std::uint32_t ordinal) {
  LiveLink& link = fabric_.live(message.route[hop]);
  LinkAhead& there = all_.ahead(link);
  const auto is_one = [&](const Reservation& reservation) {
    return is_of_burst(reservation, message, ordinal);
  };
  while (std::ranges::any_of(there.reservations, is_one)) {
    if (is_one(there.reservations.back()))
      shorten_last(link, ordinal);
    else
      all_.revocation.revoke_last(link, there);
  }
  all_.claims.notify();
}

// True if the reservation has packets of the message from `ordinal` on. Past reservations may be of messages
// that no longer exist.
bool BurstPackets::is_of_burst(const Reservation& reservation, const Message& message,
                               std::uint32_t ordinal) const {
  if (!is_burst_entry(reservation) || reservation.head(count(reservation) - 1) < fabric_.sim().now())
    return false;
  const Train& train = *reservation.train;
  return train.message == &message && train.ordinal + count(reservation) > ordinal;
}

void BurstPackets::shorten_last(LiveLink& link, std::uint32_t ordinal) {
  LinkAhead& there = all_.ahead(link);
  const Reservation taken = there.reservations.back();
  const std::uint32_t first = taken.train->ordinal;
  const std::uint32_t from = ordinal - std::min(ordinal, first);
  const std::uint32_t packets = count(taken);
  all_.trains.close(taken.train);
  const std::uint32_t end = end_hop(taken, from);
  const std::span<const LinkId> route = taken.train->message->route;
  for (std::uint32_t hop = hop_after(taken); hop < end;)
    hop = all_.revocation.shorten(route[hop], taken, hop, from);
  for (std::uint32_t i = from; i < packets; ++i) all_.revocation.drop(taken, i);
  there.reservations.back().limit = from;
  if (taken.served == from) all_.timetables.drop_back(link, there);
}

}  // namespace kbsim::hw
