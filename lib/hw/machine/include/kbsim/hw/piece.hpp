#pragma once

#include <cstdint>

#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

/// A stretch of memory, and its bytes' place in a tile.
struct Piece {
  topology::PhysRange memory;
  std::int64_t offset = 0;  // in the tile
};
using Pieces = PoolVector<Piece>;

}  // namespace kbsim::hw
