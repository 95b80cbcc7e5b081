#pragma once

#include "harness.hpp"

namespace kbsim::hw::test {

/// `spec` without delays of links and nodes, so that many events have the same time.
[[nodiscard]] config::MachineSpec simultaneous(config::MachineSpec spec);

/// A PE's queues of a ring, in its queue memory: "next" to the one after it, "previous" from the one before
/// it.
[[nodiscard]] QueueSet ring_queues(PeCoord previous, PeCoord me, PeCoord next, QueueSettings settings);
/// The queues of PEs that make a ring in this order.
[[nodiscard]] std::vector<ControlTarget> ring_of(const std::vector<PeCoord>& pes, QueueSettings settings);

/// Starts a rank for each package: writes and reads of the host, and a kernel on all PEs that loads, stores,
/// sends and receives up to `most` bytes, of at most 5 KiB, sizes drawn from the seed, much of it at one
/// time.
void start_mixed_program(Rig& rig, int seed, int most = 700);

}  // namespace kbsim::hw::test
