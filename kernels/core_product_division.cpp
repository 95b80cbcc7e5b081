#include "kbsim/kernels/core_product_division.hpp"

#include <algorithm>

namespace kbsim {
namespace {

using collective::chunk_of;
using collective::cut;
using collective::Slice;
using collective::Slices;

constexpr std::int64_t kTile = CoreProductDivision::kTile;

std::int64_t tiles_of(std::int64_t elements) { return (elements + kTile - 1) / kTile; }

// The elements of tiles, up to the end of the matrix.
Slice elements(Slice tiles, std::int64_t extent) {
  const std::int64_t first = std::min(tiles.first * kTile, extent);
  return {.first = first, .size = std::min((tiles.first + tiles.size) * kTile, extent) - first};
}

}  // namespace

Slice CoreProductDivision::tiles(ProductSide side, int number) const {
  return chunk_of({.first = 0, .size = tiles_of(extent(side))}, number, parts(side));
}

Slice CoreProductDivision::part(ProductSide side, int number) const {
  return elements(tiles(side, number), extent(side));
}

Slice CoreProductDivision::block(ProductSide side, int number, int index) const {
  return elements(chunk_of(tiles(side, number), index, blocks(side)), extent(side));
}

Slices CoreProductDivision::pieces(ProductSide side, int number, int index) const {
  Slices all;
  for (const Slice& tiles : cut(chunk_of(tiles(side, number), index, blocks(side)), piece_tiles))
    all.push_back(elements(tiles, extent(side)));
  return all;
}

int CoreProductDivision::steps() const { return static_cast<int>((tiles_of(k) + deep - 1) / deep); }

Slice CoreProductDivision::step(int index) const {
  return elements({.first = std::int64_t{index} * deep, .size = deep}, k);
}

// The first ones own one step more.
int CoreProductDivision::owner(ProductSide side, int step) const {
  const int each = steps() / owners(side);
  const int more = steps() % owners(side);
  const int of_larger = more * (each + 1);
  return step < of_larger ? step / (each + 1) : more + (step - of_larger) / each;
}

Slice CoreProductDivision::owned(ProductSide side, int owner) const {
  const Slice of_steps = chunk_of({.first = 0, .size = steps()}, owner, owners(side));
  return elements({.first = of_steps.first * deep, .size = of_steps.size * deep}, k);
}

std::int64_t CoreProductDivision::stride(ProductSide side) const {
  return part(side, 0).size * owned(side, 0).size + (turn(side) - 1) * kTile * kTile;
}

std::int64_t CoreProductDivision::place(ProductSide side, int number, int index, int step,
                                        Slice piece) const {
  const Slice of_owner = owned(side, owner(side, step));
  const Slice of_block = block(side, number, index);
  const Slice of_step = this->step(step);
  const std::int64_t later = std::int64_t{number} * piece_tiles * deep % turn(side) * kTile * kTile;
  return later + (of_block.first - part(side, number).first) * of_owner.size +
         of_block.size * (of_step.first - of_owner.first) + (piece.first - of_block.first) * of_step.size;
}

std::int64_t CoreProductDivision::out_stride() const {
  return part(ProductSide::a, 0).size * part(ProductSide::b, 0).size + (c_turn - 1) * kTile * kTile;
}

std::int64_t CoreProductDivision::out_place(int r, int c, int i, int j, Slice of_rows,
                                            Slice of_columns) const {
  const Slice rows_part = part(ProductSide::a, r);
  const Slice columns_part = part(ProductSide::b, c);
  const Slice rows_block = block(ProductSide::a, r, i);
  const Slice columns_block = block(ProductSide::b, c, j);
  const std::int64_t later = (std::int64_t{r} * columns + c) % c_turn * kTile * kTile;
  return later + (rows_block.first - rows_part.first) * columns_part.size +
         rows_block.size * (columns_block.first - columns_part.first) +
         (of_rows.first - rows_block.first) * columns_block.size +
         of_rows.size * (of_columns.first - columns_block.first);
}

}  // namespace kbsim
