// How packets become a train: the second shows at which distance they follow each other on each link, and
// whether this holds for all that come.
#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"

#include "flights.hpp"

namespace kbsim::hw {

Train& Flights::begin(Packet& packet, Train*& keeper) {
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
  train.paced = packet.paced;
  train.bookings = 0;
  train.open = true;
  train.again = 0;
  keeper = &train;
  return train;
}

// Its bookings may not be the last of their links any more.
void Flights::end_growth(Train& train) {
  train.open = false;
  *train.keeper = nullptr;
}

void Flights::recycle(Train& train) {
  close(&train);
  train.packets.clear();
  free_trains_.push_back(&train);
}

void Flights::close_last(LiveLink& link, Ahead& there) {
  Booking& last = there.bookings.back();
  close(last.train);
  if (last.served == count(last)) drop_back(link, there);
}

// The packet goes on with the one before it, if it follows as the others do. Else the train is over.
bool Flights::joins(Packet& packet, Train* train) {
  if (train == nullptr) return false;
  if (follows(packet, *train)) return join(packet, *train), true;
  close(train);
  return false;
}

bool Flights::follows(const Packet& packet, Train& train) {
  const std::uint32_t packets = train.count;
  const Time gap = packet.head - train.last.head;
  if (packets == kMostOfTrain || packet.message != train.message ||
      packet.message->sequence != train.sequence || packet.ordinal != train.ordinal + packets ||
      packet.size != train.size || packet.hop != train.from || packet.late != train.late ||
      packet.paced != train.paced || packet.tail - train.last.tail != gap)
    return false;
  return packets == 1 ? sets_pace(packet, train) : gap == train.gap;
}

// The second packet of a train.
bool Flights::sets_pace(const Packet& packet, Train& train) {
  follows_.clear();
  Packet second{packet};
  while (second.hop < train.to) {
    LiveLink& link = fabric_.next_link(second);
    Ahead& there = ahead(link);
    Booking& booking = there.bookings.back();
    ensure(booking.train == &train, "a train that may grow has the last booking of each of its links");
    const Passage next = passage(second, there.overhead, booking.first.end, booking.service);
    if (booking.hop != second.hop) return false;  // a route that comes here twice
    if (!steady(booking.first, next, there.overhead, booking.service)) return false;
    follows_.push_back({&booking, next});
    cross(second, link, next);
    skip(second, booking.trailing);
  }
  for (const auto& [booking, next] : follows_) {
    booking->gap = next.head - booking->first.head;
    booking->step = next.start - booking->first.start;
  }
  train.gap = packet.head - train.last.head;
  train.step = second.head - train.last.start;
  return true;
}

void Flights::join(Packet& packet, Train& train) {
  const std::uint32_t index = train.count++;
  train.last.head = packet.head;
  train.last.tail = packet.tail;
  train.last.start += train.step;
  train.last.end += train.step;
  LiveLink& end = fabric_.live(packet.message->route[train.to - 1]);
  if (train.unheard && packet.ordinal + 1 < packet.message->packets) return fabric_.free(packet);
  train.packets.set(index, packet);
  packet.hop = train.to;
  packet.head = train.last.start;
  packet.tail = train.last.end;
  packet.port = end.port;
  packet.late = 0;
  packet.paced = false;
  come_to_end(packet, end);
}

}  // namespace kbsim::hw
