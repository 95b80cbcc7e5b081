#pragma once

#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {

/// The sum of the tiles of the same PE of all cubes, in one order on all of them. A tile fits a slot.
[[nodiscard]] Task<Tile> sum_over_cubes(TL& tl, PeGrid grid, Tile own);

}  // namespace kbsim::llm
