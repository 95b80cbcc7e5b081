#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::topology {

/// A request of a core's processor to its NOC. A multicast goes to a rectangle of cores; a semaphore is a
/// write of a word; a barrier ends when the transfers it waits for are done.
enum class NocOp : std::uint8_t { read, write, multicast, semaphore, barrier_begin, barrier_end };

/// The transfers that a barrier waits for.
struct NocWaits {
  bool reads = false;
  bool writes = false;
};

struct NocSpot {
  std::int16_t x = 0;
  std::int16_t y = 0;
  friend constexpr bool operator==(const NocSpot&, const NocSpot&) = default;
};

/// A recorded event. `cycle` counts from the first event of the trace.
struct NocEvent {
  std::int64_t cycle = 0;
  Bytes size;
  NocSpot from;  // its processor issued the event
  NocSpot to;    // of a multicast the first corner
  NocSpot last;  // of a multicast the other corner
  NocOp op = NocOp::read;
  NocWaits waits;
  std::uint8_t layer = 0;  // NOC_0 or NOC_1
};

}  // namespace kbsim::topology
