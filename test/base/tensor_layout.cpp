#include "kbsim/base/tensor_layout.hpp"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace kbsim::test {
namespace {

using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

Runs row_of(const TensorLayout& layout, std::int64_t row, std::int64_t col, std::int64_t count) {
  Runs runs;
  layout.row(row, col, count, [&](std::int64_t offset, std::int64_t n) { runs.emplace_back(offset, n); });
  return runs;
}

// Two rows of blocks: 2 x 3 and 2 x 2 elements, then 1 x 3 and 1 x 2, in an order of their own.
TensorLayout ragged() {
  return {0x1000,
          f32,
          {3, 5},
          "x",
          {{.row0 = 2, .rows = 1, .col0 = 0, .cols = 3, .offset = 10},
           {.row0 = 0, .rows = 2, .col0 = 0, .cols = 3, .offset = 0},
           {.row0 = 0, .rows = 2, .col0 = 0, .cols = 3, .offset = 0},
           {.row0 = 2, .rows = 1, .col0 = 3, .cols = 2, .offset = 13},
           {.row0 = 0, .rows = 2, .col0 = 3, .cols = 2, .offset = 6}}};
}

}  // namespace

TEST_CASE("TensorLayout: a row's elements are where its blocks have them") {
  const TensorLayout x = ragged();
  CHECK(row_of(x, 0, 0, 5) == Runs{{0, 3}, {6, 2}});
  CHECK(row_of(x, 1, 0, 5) == Runs{{3, 3}, {8, 2}});
  CHECK(row_of(x, 1, 2, 2) == Runs{{5, 1}, {8, 1}});
  CHECK(row_of(x, 1, 4, 1) == Runs{{9, 1}});
  CHECK(row_of(x, 2, 1, 4) == Runs{{11, 2}, {13, 2}});
  CHECK(row_of(x, 2, 3, 0).empty());
}

TEST_CASE("TensorLayout: an address is in one block, or in none") {
  const TensorLayout x = ragged();
  CHECK(x.block_at(0xfff) == nullptr);
  CHECK(x.block_at(0x1000)->cols == 3);
  CHECK(x.block_at(0x1000 + 4 * 6)->col0 == 3);
  CHECK(x.block_at(0x1000 + 4 * 15 - 1)->row0 == 2);
  CHECK(x.block_at(0x1000 + 4 * 15) == nullptr);
}

}  // namespace kbsim::test
