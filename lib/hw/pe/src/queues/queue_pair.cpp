#include "queue_pair.hpp"

#include "kbsim/hw/queue_trace.hpp"

namespace kbsim::hw {

void trace_tile(const QueueUnit& unit, std::string_view what, const QueuePair& pair, const SlotHeader& tile,
                Time at) {
  unit.trace->note(unit.sim().now(), {.at = at,
                                      .pe = unit.at(),
                                      .what = what,
                                      .direction = pair.traced,
                                      .sequence = tile.sequence,
                                      .bytes = tile.shape.bytes(tile.dtype)});
}

}  // namespace kbsim::hw
