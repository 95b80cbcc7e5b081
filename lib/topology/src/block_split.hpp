#pragma once

#include <vector>

#include "kbsim/topology/placement.hpp"

namespace kbsim::topology {

using Blocks = std::vector<Block>;

/// What unit i of n gets of the blocks: of a tiled split each n-th tile, of the others a part of each.
[[nodiscard]] Blocks share(const Blocks& whole, Split split, int i, int n, TileShape tile);

}  // namespace kbsim::topology
