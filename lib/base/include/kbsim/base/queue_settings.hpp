#pragma once

#include <optional>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim {

/// Common settings of an algorithm's queues, from its plan to the PE, and in the mock, where nothing takes
/// time. There, 0 slots are no limit, and a slot of 0 B holds any tile.
struct QueueSettings {
  int slots = 0;              // of each ring
  Bytes slot_size;            // the largest tile
  Bytes credit_size;          // on the wire
  Bytes vc_chunk;             // of sends, before the DMA's other channel has its turn; 0: as pe_dma has it
  std::optional<Time> poll;   // waits look again after this time; none: they sleep until their event
  bool carries_over = false;  // what a launch sends may be received by a later one; else it is a fault

  bool direct_credit = false;  // returns beside the fabric, after the delay of the path's slowest link

  [[nodiscard]] Bytes ring_size() const { return slot_size * slots; }
};

}  // namespace kbsim
