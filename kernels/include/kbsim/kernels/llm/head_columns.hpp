#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// Heads of d columns each, one after the other from column `begin` of an activation on.
struct HeadColumns {
  Activation of;
  std::int64_t begin = 0;
  std::int64_t d = 0;

  /// The same heads from this one on.
  [[nodiscard]] constexpr HeadColumns from(std::int64_t head) const { return {of, begin + head * d, d}; }
};

/// A part of each of the first `heads` heads, of some rows: loads from the PEs that have them, under way from
/// its making on. The activation is a shared tensor, so any PE of the package reads it.
class HeadLoad {
 public:
  HeadLoad(TL& tl, const PeGrid& grid, const HeadColumns& from, std::int64_t heads, Part rows, Part elements);
  HeadLoad(const HeadLoad&) = delete;
  HeadLoad& operator=(const HeadLoad&) = delete;
  /// [rows, heads, elements]
  [[nodiscard]] Task<Tile> tile();

 private:
  // Rows that one PE of each cube has: their columns in order.
  struct Rows {
    std::int64_t size = 0;
    std::vector<Pending<Tile>> columns;
  };
  [[nodiscard]] Rows rows_at(int pe, Part rows) const;
  [[nodiscard]] Pending<Tile> whole_heads(PePlace at, Part rows, Part columns, std::int64_t heads) const;
  [[nodiscard]] Task<Tile> joined(Rows* rows);

  TL& tl_;
  PeGrid grid_;
  HeadColumns from_;
  std::int64_t heads_;
  Part elements_;
  std::vector<Rows> rows_;
};

/// The first element of a block of an activation.
struct BlockCorner {
  std::int64_t row = 0;
  std::int64_t column = 0;
};
/// Stores a block [rows, columns] of a shared activation to the PEs that have its elements.
void store_block(TL& tl, const PeGrid& grid, const Activation& to, BlockCorner at, const Tile& block,
                 collective::InFlight* stores);

}  // namespace kbsim::llm
