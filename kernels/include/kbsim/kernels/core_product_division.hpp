#pragma once

#include <cstdint>

#include "kbsim/kernels/messages.hpp"

namespace kbsim {

/// The sides of a product: A by rows of C, B by columns of C.
enum class ProductSide : std::uint8_t { a, b };

/// How a product C[m, n] = A[m, k] B[k, n] is divided over rows and columns of PEs, in tiles of 32. PE (r, c)
/// makes the r-th part of C's rows and the c-th part of its columns, in blocks one after the other, each over
/// all K in steps. A message is the step of a piece: up to `piece_tiles` tiles of rows (or columns), `deep`
/// tiles of K. Parts, blocks and pieces differ by one tile at most; the first ones are larger, the last ones
/// may be empty.
///
/// Steps are divided among the PEs of the row that A goes along (of the column, for B) in order: each owns
/// the messages of its steps. On their owner they lie block by block, step by step, piece by piece; a message
/// is row-major. C lies on the PE that makes it, block by block, piece by piece.
struct CoreProductDivision {
  static constexpr std::int64_t kTile = 32;

  std::int64_t m = 1, k = 1, n = 1;
  int rows = 1, columns = 1;              // of PEs
  int row_blocks = 1, column_blocks = 1;  // of the part of a PE
  int deep = 1;
  int piece_tiles = 4;
  int together = 1;  // steps that a PE reads before it sends them
  // Elements that begin later, in turn, so that PEs begin at different memory channels; 1: all at once.
  int a_turn = 1, b_turn = 1, c_turn = 1;

  using Slice = collective::Slice;

  /// Parts of a side, and PEs that own steps of each.
  [[nodiscard]] int parts(ProductSide side) const { return side == ProductSide::a ? rows : columns; }
  [[nodiscard]] int owners(ProductSide side) const { return side == ProductSide::a ? columns : rows; }
  [[nodiscard]] int blocks(ProductSide side) const {
    return side == ProductSide::a ? row_blocks : column_blocks;
  }
  /// In elements: of rows or columns, and of K.
  [[nodiscard]] Slice part(ProductSide side, int number) const;
  [[nodiscard]] Slice block(ProductSide side, int number, int index) const;
  [[nodiscard]] collective::Slices pieces(ProductSide side, int number, int index) const;
  [[nodiscard]] int steps() const;
  [[nodiscard]] Slice step(int index) const;
  [[nodiscard]] int owner(ProductSide side, int step) const;

  /// Elements of each PE, and the place of a message (a block of C: of its piece) among them.
  [[nodiscard]] std::int64_t stride(ProductSide side) const;
  [[nodiscard]] std::int64_t place(ProductSide side, int number, int index, int step, Slice piece) const;
  [[nodiscard]] std::int64_t out_stride() const;
  /// The same for a piece of the block (i, j) of PE (r, c).
  [[nodiscard]] std::int64_t out_place(int r, int c, int i, int j, Slice of_rows, Slice of_columns) const;

 private:
  [[nodiscard]] std::int64_t extent(ProductSide side) const { return side == ProductSide::a ? m : n; }
  [[nodiscard]] Slice tiles(ProductSide side, int number) const;
  [[nodiscard]] Slice owned(ProductSide side, int owner) const;
  [[nodiscard]] int turn(ProductSide side) const { return side == ProductSide::a ? a_turn : b_turn; }
};

}  // namespace kbsim
