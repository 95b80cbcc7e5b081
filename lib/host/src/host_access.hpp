#pragma once

#include <memory>

#include "kbsim/hw/machine.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::host {

/// The host's messages to the memories that a stretch is in: one, or one a block where PEs share memory
/// channels. All are sent at the call.
[[nodiscard]] Task<> write_memory(hw::Machine& machine, int rank, const topology::PhysRange& to,
                                  oplog::Slice contents, const std::shared_ptr<const void>& held);
[[nodiscard]] Task<oplog::Slices> read_memory(hw::Machine& machine, int rank,
                                              const topology::PhysRange& from);

}  // namespace kbsim::host
