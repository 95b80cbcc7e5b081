#pragma once

#include <cstdint>

#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/kernels/messages.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

using collective::Tiles;

/// The place of the PE that runs the kernel.
[[nodiscard]] PePlace place_of(TL& tl);

/// The PEs that a PE has queues to: those of its cube; the same PE of the cubes in its row of the mesh; the
/// same PE of the cubes in its column.
enum class Along : std::uint8_t { cube, row, column };

/// The number of PEs there, and this PE's number among them.
struct Line {
  int size = 1;
  int own = 0;
};
[[nodiscard]] Line line_of(const PeGrid& grid, PePlace at, Along along);

/// The queue to, and from, the PE of that number.
[[nodiscard]] Dir queue_to(Along along, int number);

/// Each PE gives a tile and gets the tiles of all along one line, in the order of their numbers. A tile fits
/// a slot, and all have one shape and dtype. Tiles of other PEs keep their slots until they are let go.
[[nodiscard]] Task<Tiles> exchange(TL& tl, PeGrid grid, Along along, Tile own);

}  // namespace kbsim::llm
