#include "burst.hpp"

#include <algorithm>

#include "../trains/reservation.hpp"

namespace kbsim::hw {

std::size_t Burst::flow_on(const LiveLink& link) const {
  return static_cast<std::size_t>(std::ranges::find(all(), &link, &Flow::second) - all().begin());
}

BurstEntry Burst::entry_of(std::size_t flow) const {
  const Edge& entered = flows[flow].entered;
  const Time lag = entered.head - first_of(flow).head;
  return {.hop = 2,
          .head = entered.head,
          .tail = entered.tail,
          .lag = lag,
          .batch = batch,
          .late = static_cast<std::uint8_t>(lag > Time{0} ? 0 : batch + 1)};
}

Burst::Servers Burst::servers() const {
  const auto server = [this](const Lane& lane) {
    return Server{.free = lane.free(), .service = lane.service(size)};
  };
  Servers servers{.port = server(before.port), .first = server(before.first)};
  for (std::size_t i = 0; i < all().size(); ++i) servers.seconds[i] = server(before.seconds[i]);
  return servers;
}

// Packets leave the port in the first batch of a time. They arrive at the unit in the second batch if that is
// the same time, else in the first.
std::uint32_t Burst::arrival_batch() const { return arrived.head == left.head ? 2 : 1; }

std::int64_t Burst::passed(Time first_at, Time now, bool present) const {
  return count_before(first_at, gap, static_cast<std::uint32_t>(count), now, present);
}

std::int64_t Burst::slots_past(Time now, bool present) const {
  return std::max<std::int64_t>(1, passed(first_slot, now, present));
}

bool Burst::passes(Time first_at, Time now) const {
  const Time since = now - first_at;
  return since >= Time{0} && since <= (count - 1) * gap && since % gap == Time{0};
}

}  // namespace kbsim::hw
