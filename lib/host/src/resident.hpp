#pragma once

#include "kbsim/host/host_array.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/machine.hpp"

namespace kbsim::host {

/// Operations that host programs do by messages, done at once: no message, no event, no simulated time.

/// Changes the MMUs as an order to them would.
void map_at_once(hw::Machine& machine, const hw::ControlJob& job);

/// Gives every shard its part of `contents`; replicas share a value of the rank's lane. Counts the bytes.
void place(Session& session, int rank, const std::vector<Shard>& shards, const HostArray& contents);

}  // namespace kbsim::host
