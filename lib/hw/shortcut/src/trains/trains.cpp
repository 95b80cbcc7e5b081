// How packets become a train. The second packet shows at which distance they follow each other on each link,
// and whether that distance is steady.
#include "trains.hpp"

#include <algorithm>
#include <limits>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"

#include "crossing.hpp"
#include "reservations.hpp"

namespace kbsim::hw {

Train& Trains::begin(Packet& packet, Train*& keeper) {
  if (free_trains_.empty()) free_trains_.push_back(&trains_.emplace_back());
  Train& train = *free_trains_.back();
  free_trains_.pop_back();
  train.count = 1;
  train.message = packet.message;
  train.sequence = packet.message->sequence;
  train.ordinal = packet.ordinal;
  train.size = packet.size;
  train.keeper = &keeper;
  train.from = packet.hop;
  train.late = packet.late;
  train.in_burst = packet.in_burst;
  train.reservations = 0;
  train.open = true;
  train.again = 0;
  keeper = &train;
  return train;
}

// Its reservations need no longer be the last of their links.
void Trains::end_growth(Train& train) {
  train.open = false;
  *train.keeper = nullptr;
}

void Trains::recycle(Train& train) {
  close(&train);
  train.packets.clear();
  free_trains_.push_back(&train);
}

bool Trains::joins(Packet& packet, Train* train) {
  if (train == nullptr) return false;
  if (follows(packet, *train)) return join(packet, *train), true;
  close(train);
  return false;
}

bool Trains::follows(const Packet& packet, Train& train) {
  const std::uint32_t packets = train.count;
  const Time gap = packet.head - train.last.head;
  if (packets == kMostOfTrain || packet.message != train.message ||
      packet.message->sequence != train.sequence || packet.ordinal != train.ordinal + packets ||
      packet.hop != train.from || packet.late != train.late || packet.in_burst != train.in_burst)
    return false;
  if (packet.size != train.size) return packets > 1 && gap == train.gap && follows_shorter(packet, train);
  if (packet.tail - train.last.tail != gap) return false;
  return packets == 1 ? sets_pace(packet, train) : gap == train.gap;
}

// The second packet of a train sets the distances of all that follow. False if they aren't steady.
bool Trains::sets_pace(const Packet& packet, Train& train) {
  follows_.clear();
  Packet second{packet};
  while (second.hop < train.to) {
    LiveLink& link = fabric_.next_link(second);
    const Time overhead = all_.ahead(link).overhead;
    Reservation& reservation = growing(link, train);
    const Passage next = passage(second, overhead, reservation.first.end, reservation.service);
    if (reservation.hop != second.hop) return false;  // a route that crosses the link twice
    if (!steady(reservation.first, next, overhead, reservation.service)) return false;
    follows_.push_back({&reservation, next});
    cross(second, link, next);
    all_.shadows.skip(second, link, reservation.shadowed, reservation.reach);
  }
  for (const auto& [reservation, next] : follows_) {
    reservation->gap = next.head - reservation->first.head;
    reservation->step = next.start - reservation->first.start;
  }
  train.gap = packet.head - train.last.head;
  train.step = second.head - train.last.start;
  return true;
}

// The last packet of a message starts when a full packet would, and ends earlier.
bool Trains::follows_shorter(const Packet& packet, Train& train) {
  if (packet.size > train.size || packet.ordinal + 1 != packet.message->packets) return false;
  const auto sooner = [](Time another, Time by) {
    return static_cast<std::uint64_t>((another - by).count());
  };
  const auto fits = [](std::uint64_t picoseconds) {
    return picoseconds <= std::numeric_limits<std::uint32_t>::max();
  };
  follows_.clear();
  Packet last{packet};
  while (last.hop < train.to) {
    LiveLink& link = fabric_.next_link(last);
    Reservation& reservation = growing(link, train);
    if (reservation.hop != last.hop) return false;  // a route that crosses the link twice
    const Time start = reservation.start(train.count);
    const Time end = std::max(start + link.lane.service(packet.size), last.tail + all_.ahead(link).overhead);
    const Passage passage{.head = last.head, .tail = last.tail, .start = start, .end = end};
    if (!fits(sooner(reservation.tail(train.count), last.tail)) ||
        !fits(sooner(reservation.end(train.count), end)))
      return false;
    follows_.push_back({&reservation, passage});
    cross(last, link, passage);
    all_.shadows.skip(last, link, reservation.shadowed, reservation.reach);
  }
  for (const auto& [reservation, passage] : follows_) {
    reservation->tail_sooner =
        static_cast<std::uint32_t>(sooner(reservation->tail(train.count), passage.tail));
    reservation->end_sooner = static_cast<std::uint32_t>(sooner(reservation->end(train.count), passage.end));
    reservation->shorter = train.count;
  }
  train.last_size = packet.size;
  train.last_sooner = train.last.end + train.step - last.tail;
  return true;
}

Reservation& Trains::growing(LiveLink& link, const Train& train) {
  Reservation& last = all_.ahead(link).reservations.back();
  ensure(last.train == &train, "a train that may grow has the last reservation of each of its links");
  return last;
}

void Trains::join(Packet& packet, Train& train) {
  const std::uint32_t index = train.count++;
  const bool is_shorter = packet.size != train.size;
  train.last.head = packet.head;
  train.last.tail = packet.tail;
  train.last.start += train.step;
  train.last.end += train.step - (is_shorter ? train.last_sooner : Time{0});
  LiveLink& end = fabric_.live(packet.message->route[train.to - 1]);
  if (train.unobserved && packet.ordinal + 1 < packet.message->packets) return fabric_.free(packet);
  train.packets.set(index, packet);
  packet.hop = train.to;
  packet.head = train.last.start;
  packet.tail = train.last.end;
  packet.port = end.port;
  packet.late = 0;
  packet.in_burst = false;
  all_.routes.arrive_at_end(packet, end);
}

std::int64_t Trains::follow(const Message& message, LiveLink* ingress, const PacketRun& run) {
  const LinkAhead* const there =
      ingress != nullptr ? ingress->ahead : fabric_.live(message.route.front()).ahead;
  if (there == nullptr) return 0;
  return extend(ingress != nullptr ? there->train : there->own_train, message, run);
}

// The last packet of the message is never among these packets.
std::int64_t Trains::extend(Train* train, const Message& message, const PacketRun& run) {
  if (train == nullptr || !train->unobserved || train->count < 2) return 0;
  const bool follows = train->message == &message && train->sequence == message.sequence &&
                       train->ordinal + train->count == message.injected && train->size == run.size &&
                       train->gap == run.gap && train->last.head + run.gap == run.head &&
                       train->last.tail + run.gap == run.tail;
  if (!follows) return 0;
  const std::int64_t most = std::min(kMostOfTrain - train->count, message.packets - 1 - message.injected);
  const std::int64_t count = std::min(run.count, most);
  train->count += static_cast<std::uint32_t>(count);
  train->last.head += count * train->gap;
  train->last.tail += count * train->gap;
  train->last.start += count * train->step;
  train->last.end += count * train->step;
  return count;
}

}  // namespace kbsim::hw
