#pragma once

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {

/// A PE's slab: the columns of an activation that it computes where the PEs of a cube divide the cube's.
[[nodiscard]] constexpr Part slab_of(const PeGrid& grid, std::int64_t cols, PePlace at) {
  return part_of(part_of(cols, at.cube, grid.cubes()), at.pe, grid.pes);
}

struct ToRowsArgs {
  PeGrid grid;
  Activation to;
  Ptr scratch;  // in this PE's TCM, of the activation's dtype: room for a chunk's rows of its slab
  int chunk = 0, chunks = 1;  // see ChunkRows
};

/// Each PE gives its slab's columns of the chunk's rows, [rows, columns]; afterwards each has its part of
/// these rows. A PE whose slab has no columns gives an empty tile. All PEs of the grid call it alike.
[[nodiscard]] Task<> to_rows(TL& tl, ToRowsArgs args, Tile slab);

}  // namespace kbsim::llm
