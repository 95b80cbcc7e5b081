// Heads of an activation, wherever its columns and rows lie: read by loads, written by stores.
#include "kbsim/kernels/llm/head_columns.hpp"

#include <algorithm>

namespace kbsim::llm {
namespace {

int cube_of(const PeGrid& grid, const Activation& x, std::int64_t column) {
  int cube = 0;
  while (x.columns_of(grid, cube).end() <= column) ++cube;
  return cube;
}

Tile flat(TL& tl, const Tile& tile) {
  const std::int64_t rows = tile.shape()[0];
  return tl.reshape(tile, {rows, tile.shape().elements() / rows});
}

Tile after(TL& tl, const Tile& before, const Tile& tile, int axis) {
  return before.empty() ? tile : tl.cat(before, tile, {.axis = axis});
}

}  // namespace

HeadLoad::HeadLoad(TL& tl, const PeGrid& grid, const HeadColumns& from, std::int64_t heads, Part rows,
                   Part elements)
    : tl_{tl}, grid_{grid}, from_{from}, heads_{heads}, elements_{elements} {
  for (int pe = 0; pe < grid.pes; ++pe) {
    const Part there = common(rows, from.of.rows_of(grid, pe));
    if (there.size > 0) rows_.push_back(rows_at(pe, there));
  }
}

// As many heads as lie in one cube are one load; a head that reaches into the next cube is one for each.
HeadLoad::Rows HeadLoad::rows_at(int pe, Part rows) const {
  Rows result{.size = rows.size, .columns = {}};
  for (std::int64_t head = 0; head < heads_;) {
    const Part columns{from_.begin + head * from_.d + elements_.begin, elements_.size};
    int cube = cube_of(grid_, from_.of, columns.begin);
    const Part own = from_.of.columns_of(grid_, cube);
    if (columns.end() <= own.end()) {
      const std::int64_t heads = std::min(heads_ - head, 1 + (own.end() - columns.end()) / from_.d);
      result.columns.push_back(whole_heads({cube, pe}, rows, columns, heads));
      head += heads;
      continue;
    }
    for (Part left = columns; left.size > 0; ++cube) {
      const Part there = common(left, from_.of.columns_of(grid_, cube));
      if (there.size == 0) continue;
      result.columns.push_back(whole_heads({cube, pe}, rows, there, 1));
      left = {there.end(), left.end() - there.end()};
    }
    ++head;
  }
  return result;
}

Pending<Tile> HeadLoad::whole_heads(PePlace at, Part rows, Part columns, std::int64_t heads) const {
  const Part own_columns = from_.of.columns_of(grid_, at.cube);
  const Part own_rows = from_.of.rows_of(grid_, at.pe);
  const std::int64_t first =
      (rows.begin - own_rows.begin) * own_columns.size + (columns.begin - own_columns.begin);
  const Shape shape{rows.size, heads, columns.size};
  const Descriptor block = tl_.make_desc({.base = from_.of.part(grid_, at) + first,
                                          .shape = shape,
                                          .strides = {own_columns.size, from_.d, 1},
                                          .block = shape});
  return block.load({0, 0, 0});
}

Task<Tile> HeadLoad::tile() {
  Tile all;
  std::int64_t rows = 0;
  for (Rows& some : rows_) {
    const Tile tile = co_await joined(&some);
    all = after(tl_, all, tile, 0);
    rows += some.size;
  }
  co_return tl_.reshape(all, {rows, heads_, elements_.size});
}

Task<Tile> HeadLoad::joined(Rows* rows) {
  Tile all;
  for (Pending<Tile>& columns : rows->columns) {
    const Tile tile = co_await columns;
    all = after(tl_, all, flat(tl_, tile), 1);
  }
  co_return all;
}

void store_block(TL& tl, const PeGrid& grid, const Activation& to, BlockCorner at, const Tile& block,
                 collective::InFlight* stores) {
  const Part rows{at.row, block.shape()[0]};
  const Part columns{at.column, block.shape()[1]};
  for (int cube = 0; cube < grid.cubes(); ++cube) {
    const Part own_columns = to.columns_of(grid, cube);
    if (common(columns, own_columns).size == 0) continue;
    for (int pe = 0; pe < grid.pes; ++pe) {
      const Part own_rows = to.rows_of(grid, pe);
      if (common(rows, own_rows).size == 0) continue;
      const Descriptor part = tl.make_desc({.base = to.part(grid, {cube, pe}),
                                            .shape = {own_rows.size, own_columns.size},
                                            .block = {rows.size, columns.size}});
      stores->add(part.store({rows.begin - own_rows.begin, columns.begin - own_columns.begin}, block));
    }
  }
}

}  // namespace kbsim::llm
