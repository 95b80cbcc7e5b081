#pragma once

#include "kbsim/host/host_array.hpp"
#include "kbsim/oplog/contents.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host {

/// The bytes of a shard: a copy if they are few; else a reference, which keeps the array alive.
[[nodiscard]] oplog::Contents contents_of(const HostArray& array, const topology::ShardSpec& shard);

}  // namespace kbsim::host
