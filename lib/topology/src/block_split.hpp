#pragma once

#include <vector>

#include "kbsim/topology/placement.hpp"

namespace kbsim::topology {

using Blocks = std::vector<Block>;

/// Unit i's share of the blocks among n units: for a tiled split each n-th tile, for the others a part of
/// each block.
[[nodiscard]] Blocks share(const Blocks& whole, Split split, int i, int n, TileShape tile);

}  // namespace kbsim::topology
