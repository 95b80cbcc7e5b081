#include "block_split.hpp"

#include <algorithm>
#include <tuple>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/transform.hpp>

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

struct Extent {
  std::int64_t first;
  std::int64_t count;
};

/// Share i of n; the first shares are one longer where n doesn't divide it.
Extent share_of(Extent whole, int i, int n) {
  const std::int64_t longer = whole.count % n;
  return {.first = whole.first + whole.count / n * i + std::min<std::int64_t>(i, longer),
          .count = whole.count / n + (i < longer ? 1 : 0)};
}

std::vector<Extent> cut(Extent whole, std::int64_t length) {
  return views::iota(std::int64_t{0}, ceil_div(whole.count, length)) | views::transform([=](std::int64_t i) {
           return Extent{.first = whole.first + i * length,
                         .count = std::min(length, whole.count - i * length)};
         }) |
         ranges::to<std::vector>;
}

Extent rows_of(const Block& b) { return {.first = b.row0, .count = b.rows}; }
Extent cols_of(const Block& b) { return {.first = b.col0, .count = b.cols}; }
Block block(Extent rows, Extent cols) {
  return {.row0 = rows.first, .rows = rows.count, .col0 = cols.first, .cols = cols.count};
}

Blocks tiles(const Block& whole, Split order, TileShape tile) {
  const auto rows = cut(rows_of(whole), tile.rows);
  const auto cols = cut(cols_of(whole), tile.cols);
  if (order == Split::tiled_column_major) {
    return views::cartesian_product(rows, cols) |
           views::transform([](const auto& t) { return block(std::get<0>(t), std::get<1>(t)); }) |
           ranges::to<std::vector>;
  }
  return views::cartesian_product(cols, rows) |
         views::transform([](const auto& t) { return block(std::get<1>(t), std::get<0>(t)); }) |
         ranges::to<std::vector>;
}

}  // namespace

Blocks share(const Blocks& whole, Split split, int i, int n, TileShape tile) {
  const auto of_each = [&](auto divide) {
    return whole | views::transform(divide) | views::filter(&Block::elements) | ranges::to<std::vector>;
  };
  switch (split) {
    case Split::replicate: return whole;
    case Split::row_wise:
      return of_each([=](const Block& b) { return block(share_of(rows_of(b), i, n), cols_of(b)); });
    case Split::column_wise:
      return of_each([=](const Block& b) { return block(rows_of(b), share_of(cols_of(b), i, n)); });
    case Split::tiled_row_major:
    case Split::tiled_column_major: break;
  }
  const auto all = whole | views::transform([=](const Block& b) { return tiles(b, split, tile); }) |
                   ranges::to<std::vector>;
  return all | views::join | views::drop(i) | views::stride(n) | ranges::to<std::vector>;
}

}  // namespace kbsim::topology
