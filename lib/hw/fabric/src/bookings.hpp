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

/// The order of packets that come to a node at one time: by port; behind all of these those that are sent
/// there at that time, batch by batch.
using ArrivalRank = std::uint32_t;
[[nodiscard]] inline ArrivalRank rank(std::uint8_t late, std::uint32_t port) {
  return (ArrivalRank{late} << 24) | port;
}

/// The places of a train's packets in a link's queue before they are there. They come to the link's node by
/// `port`, which is hop `hop` of their route: the first as `first` says, the others each `gap` behind the one
/// before it, and go each `step` behind it.
struct Booking {
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

  Packet* packet = nullptr;  // the first
  Train* train = nullptr;    // none: the only one
  Passage first;
  Time gap{};
  Time step{};
  Time service{};  // of each, by the link
  Bytes size;
  std::uint32_t port : 23 = 0;
  std::uint32_t late : 8 = 0;  // all of them: as Packet has it
  std::uint32_t ends : 1 = 0;  // who is behind the link hears of the message's last packet only
  std::uint16_t hop = 0;
  // Links behind this one that trail it have no booking of their own:
  std::uint16_t trailing = 0;  // so many
  std::uint32_t shown = 0;     // packets that they know of
  std::uint32_t served = 0;    // packets whose time is past
  std::uint32_t limit = kAll;  // so many of the train's packets at the most
  // The last packet of a message may be shorter than the others:
  std::uint32_t shorter = kAll;   // which one
  std::uint32_t tail_sooner = 0;  // so many picoseconds before another's its tail is at the node
  std::uint32_t end_sooner = 0;   // and gone
  const LinkId* trail = nullptr;  // the first of those that trail the link, in the route
  Time reach{};                   // from a start, or an end, to where all of them lead

  [[nodiscard]] Time head(std::uint32_t i) const { return first.head + i * gap; }
  [[nodiscard]] Time tail(std::uint32_t i) const {
    return first.tail + i * gap - Time{i == shorter ? tail_sooner : 0};
  }
  [[nodiscard]] Time start(std::uint32_t i) const { return first.start + i * step; }
  [[nodiscard]] Time end(std::uint32_t i) const {
    return first.end + i * step - Time{i == shorter ? end_sooner : 0};
  }
  /// Packet `i` comes before whoever comes at that time with that rank.
  [[nodiscard]] bool before(std::uint32_t i, Time at, ArrivalRank other) const {
    const Time comes = head(i);
    return comes < at || (comes == at && rank(late, port) < other);
  }
};

static_assert(sizeof(Booking) == 128, "two lines of the cache");

/// So many of `count` at least one, which come `gap` apart from `head` on, come before that time, or by then.
[[nodiscard]] inline std::uint32_t count_before(Time head, Time gap, std::uint32_t count, Time at, bool by) {
  if (by ? head > at : head >= at) return 0;
  if (count == 1 || gap <= Time{0}) return count;
  const std::int64_t later = (at - head - (by ? Time{0} : Time{1})) / gap;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, later + 1));
}

}  // namespace kbsim::hw
