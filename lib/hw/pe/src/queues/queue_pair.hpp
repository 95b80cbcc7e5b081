#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/hw/memory/slot_messages.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/sim/pool_queue.hpp"
#include "kbsim/tl/dir.hpp"

#include "queue_unit.hpp"

namespace kbsim::hw {

/// One end of the queues between two PEs: the sender's counters of the peer's ring, and the receiver's of its
/// own. Counters run from 0 and never wrap; slot = counter mod slots. The fields that each message needs come
/// first.
struct QueuePair {
  std::int64_t slots = 0;      // of each of its rings,
  Bytes slot_size;             // and of each slot; both as in its set
  std::int64_t my_head = 0;    // slots of the peer filled by me
  std::int64_t peer_tail = 0;  // of these, freed by the peer as far as known here
  PoolQueue<SendCommand> sends;
  PoolQueue<std::optional<SlotHeader>> filled;  // slots from `taken` on; none: not arrived yet
  std::int64_t peer_head = 0;                   // my slots filled by the peer
  std::int64_t taken = 0;                       // of these, given to receives
  std::int64_t my_tail = 0;                     // of these, released
  std::vector<bool> let_go;  // by slot: tiles are released in any order, slots are freed in ring order
  QueuePairPlan plan;
  std::size_t set = 0;
  Dir label;                  // its direction, for the tiles
  std::string traced;         // the same, with the set's name if there are several
  std::vector<Cause> came;    // causes of arrival, as `filled`, if causes are kept
  Cause room;                 // cause of the last free slot, likewise
  IIpcq* creditor = nullptr;  // the peer, if credits bypass the fabric, and their delay
  Time credit_delay{};
  std::uint32_t last_sent_in = 0;   // the launch whose tile was received last,
  std::uint32_t last_taken_in = 0;  // and that which received it

  [[nodiscard]] bool has_ring() const { return receives(plan.flow); }  // of its own
  [[nodiscard]] bool has_tile() const { return !filled.empty() && filled.front(); }
  [[nodiscard]] bool has_room() const { return my_head - peer_tail < slots; }
  [[nodiscard]] Bytes ring_size() const { return slot_size * slots; }
  [[nodiscard]] std::size_t slot(std::int64_t counter) const {
    return static_cast<std::size_t>(counter % slots);
  }
};

/// The identity of a tile in a ring, equal for its sender and its receiver.
[[nodiscard]] inline SpanFlow flow_of(topology::PhysAddr ring, const SlotHeader& tile) {
  return {SpanFlow::Kind::message, ring.bits(),
          (std::uint64_t{tile.launch.order} << 32) | (tile.sequence & 0xffff'ffff)};
}

/// Notes in the trace of queues, which is on, that a tile was sent or received: "send" or "recv".
void trace_tile(const QueueUnit& unit, std::string_view what, const QueuePair& pair, const SlotHeader& tile,
                Time at);

}  // namespace kbsim::hw
