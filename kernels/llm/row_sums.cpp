#include "kbsim/kernels/llm/row_sums.hpp"

namespace kbsim::llm {
namespace {

Task<Tile> sum_along(TL& tl, PeGrid grid, Along along, Tile own) {
  const Tiles tiles = co_await exchange(tl, grid, along, own);
  Tile sum = tiles.front();
  for (std::size_t i = 1; i < tiles.size(); ++i) sum = sum + tiles[i];
  co_return sum;
}

}  // namespace

Task<Tile> sum_over_cubes(TL& tl, PeGrid grid, Tile own) {
  const Tile of_row = co_await sum_along(tl, grid, Along::row, own);
  co_return co_await sum_along(tl, grid, Along::column, of_row);
}

}  // namespace kbsim::llm
