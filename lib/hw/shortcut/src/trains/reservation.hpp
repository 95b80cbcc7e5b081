#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/steady.hpp"

namespace kbsim::hw {

struct Packet;
struct Train;

/// The order of packets that arrive at a node at one time: by port. Packets sent to the node at that same
/// time follow all of these, batch by batch.
using ArrivalRank = std::uint32_t;
[[nodiscard]] inline ArrivalRank rank(std::uint8_t late, std::uint32_t port) {
  return (ArrivalRank{late} << 24) | port;
}

/// A reservation of a link for the packets of a train. They arrive at the node of the link by `port`, at hop
/// `hop` of their route: the first at the times of `first`, each other one `gap` after the one before it.
/// They leave `step` apart.
struct Reservation {
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

  Packet* packet = nullptr;  // the first
  Train* train = nullptr;    // nullptr: `packet` is the only one
  Passage first;
  Time gap{};
  Time step{};
  Time service{};  // of each, by the link
  Bytes size;
  std::uint32_t port : 23 = 0;
  std::uint32_t late : 8 = 0;  // of all packets, as in Packet
  std::uint32_t ends : 1 = 0;  // downstream observes only the message's last packet
  std::uint16_t hop = 0;
  // Shadowed links after this one have no reservation of their own:
  std::uint16_t shadowed = 0;  // number of these links
  std::uint32_t shown = 0;     // packets that have reservations of their own there, or are counted there
  std::uint32_t served = 0;    // packets whose time is past
  std::uint32_t limit = kAll;  // at most this number of the train's packets
  // The last packet of a message may be shorter than the others:
  std::uint32_t shorter = kAll;    // its index
  std::uint32_t tail_sooner = 0;   // its tail arrives earlier than that of another, in ps
  std::uint32_t end_sooner = 0;    // its tail leaves earlier, in ps
  const LinkId* shadow = nullptr;  // the first of the shadowed links, in the route
  Time reach{};                    // from a start, or an end, to arrival after all these links

  [[nodiscard]] Time head(std::uint32_t i) const { return first.head + i * gap; }
  [[nodiscard]] Time tail(std::uint32_t i) const {
    return first.tail + i * gap - Time{i == shorter ? tail_sooner : 0};
  }
  [[nodiscard]] Time start(std::uint32_t i) const { return first.start + i * step; }
  [[nodiscard]] Time end(std::uint32_t i) const {
    return first.end + i * step - Time{i == shorter ? end_sooner : 0};
  }
  /// True if packet `i` arrives before a packet of that time and rank.
  [[nodiscard]] bool before(std::uint32_t i, Time at, ArrivalRank other) const {
    const Time arrival = head(i);
    return arrival < at || (arrival == at && rank(late, port) < other);
  }
};

static_assert(sizeof(Reservation) == 128, "two lines of the cache");

/// Number of packets that arrive before that time, or `by` it, of `count` that arrive `gap` apart from `head`
/// on. `count` is at least 1.
[[nodiscard]] inline std::uint32_t count_before(Time head, Time gap, std::uint32_t count, Time at, bool by) {
  if (by ? head > at : head >= at) return 0;
  if (count == 1 || gap <= Time{0}) return count;
  const std::int64_t later = (at - head - (by ? Time{0} : Time{1})) / gap;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, later + 1));
}

}  // namespace kbsim::hw
