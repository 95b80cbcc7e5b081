// How packets become a train. The second packet shows at which distance they follow each other on each link,
// and whether this holds for all that follow.
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

// Its reservations need no longer be the last of their links.
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

// The packet joins the train if it follows as the others do. Else the train is over.
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
      packet.hop != train.from || packet.late != train.late || packet.paced != train.paced)
    return false;
  if (packet.size != train.size) return packets > 1 && gap == train.gap && goes_shorter(packet, train);
  if (packet.tail - train.last.tail != gap) return false;
  return packets == 1 ? sets_pace(packet, train) : gap == train.gap;
}

Booking& Flights::growing(LiveLink& link, const Train& train) {
  Booking& last = ahead(link).bookings.back();
  ensure(last.train == &train, "a train that may grow has the last booking of each of its links");
  return last;
}

// The second packet of a train.
bool Flights::sets_pace(const Packet& packet, Train& train) {
  follows_.clear();
  Packet second{packet};
  while (second.hop < train.to) {
    LiveLink& link = fabric_.next_link(second);
    const Time overhead = ahead(link).overhead;
    Booking& booking = growing(link, train);
    const Passage next = passage(second, overhead, booking.first.end, booking.service);
    if (booking.hop != second.hop) return false;  // a route that comes here twice
    if (!steady(booking.first, next, overhead, booking.service)) return false;
    follows_.push_back({&booking, next});
    cross(second, link, next);
    skip(second, link, booking.trailing, booking.reach);
  }
  for (const auto& [booking, next] : follows_) {
    booking->gap = next.head - booking->first.head;
    booking->step = next.start - booking->first.start;
  }
  train.gap = packet.head - train.last.head;
  train.step = second.head - train.last.start;
  return true;
}

// The last packet of a message starts as another would, and leaves sooner.
bool Flights::goes_shorter(const Packet& packet, Train& train) {
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
    Booking& booking = growing(link, train);
    if (booking.hop != last.hop) return false;  // a route that comes here twice
    const Time start = booking.start(train.count);
    const Time end =
        std::max(start + link.lane.rate().serialization(packet.size), last.tail + ahead(link).overhead);
    const Passage passage{.head = last.head, .tail = last.tail, .start = start, .end = end};
    if (!fits(sooner(booking.tail(train.count), last.tail)) || !fits(sooner(booking.end(train.count), end)))
      return false;
    follows_.push_back({&booking, passage});
    cross(last, link, passage);
    skip(last, link, booking.trailing, booking.reach);
  }
  for (const auto& [booking, passage] : follows_) {
    booking->tail_sooner = static_cast<std::uint32_t>(sooner(booking->tail(train.count), passage.tail));
    booking->end_sooner = static_cast<std::uint32_t>(sooner(booking->end(train.count), passage.end));
    booking->shorter = train.count;
  }
  train.last_size = packet.size;
  train.last_sooner = train.last.end + train.step - last.tail;
  return true;
}

void Flights::join(Packet& packet, Train& train) {
  const std::uint32_t index = train.count++;
  const bool is_shorter = packet.size != train.size;
  train.last.head = packet.head;
  train.last.tail = packet.tail;
  train.last.start += train.step;
  train.last.end += train.step - (is_shorter ? train.last_sooner : Time{0});
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
