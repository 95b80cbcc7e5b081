#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/flow.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim {

/// One end of a queue between two PEs, as a report of waits sees it.
struct QueueEnd {
  PeCoord pe;
  std::string direction;
  bool in_use = true;  // by the kernel that runs there, if one does
  PeCoord peer;
  std::uint64_t ring = 0;       // names it; the peer's end swaps ring and peer_ring
  std::uint64_t peer_ring = 0;  // in a queue of one direction, both are the receiver's
  Flow flow = Flow::both;
  std::int64_t slots = 0;      // per ring; 0: no limit
  std::int64_t my_head = 0;    // slots of the peer filled from here
  std::int64_t peer_tail = 0;  // of these, known to be free again
  std::int64_t peer_head = 0;  // slots filled by the peer
  std::int64_t taken = 0;      // of these, received
  std::int64_t my_tail = 0;    // of these, free again
  std::int64_t sends = 0;      // waiting sends
  std::int64_t receives = 0;   // waiting recvs
};

/// Adds the waits of kernels that await a SendWait or a RecvWait. An edge says
/// "sip0.cube0.pe0 recv W ← sip0.cube0.pe7 send E: never issued".
void add_queue_waits(Waits& waits, const std::vector<QueueEnd>& ends);

/// Adds the counters of all queues of the PEs in the graph.
void add_queue_counters(Waits& waits, const std::vector<QueueEnd>& ends);

/// The error of a kernel that sends along a queue which only receives there, or the other way round.
[[nodiscard]] std::string wrong_way(std::string_view direction, PeCoord pe, Flow flow);

/// A tile that was sent but not received.
struct LeftOver {
  PeCoord from;
  std::source_location at;  // of the send
  Shape shape;
  DType dtype = DType::f16;
  PeCoord to;
  std::string direction;  // as the receiver calls it
};
[[nodiscard]] std::string describe(const LeftOver& left, std::string_view why);

}  // namespace kbsim
