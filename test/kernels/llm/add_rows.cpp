// The sum of two activations on all PEs of a package.
#include "kbsim/kernels/llm/add_rows.hpp"

#include <doctest/doctest.h>

#include "mock_grid.hpp"

namespace kbsim::llm::test::add_rows_test {

TEST_CASE("add_rows: the sum of two activations, in the memory of the first, on random grids") {
  std::mt19937 random{37};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::int64_t m = round == 0 ? 600 : between(random, 1, 40);
    const std::int64_t h = round == 0 ? 301 : between(random, 1, 40);
    const DType dtype = round % 2 == 0 ? f32 : bf16;
    MockGrid on{round == 0 ? PeGrid{} : random_grid(random)};
    const Array x = normal(m * h, dtype, 1);
    const Array more = normal(m * h, dtype, 2);
    const AddRowsArgs args{.grid = on.grid(), .x = on.activation(x, m, h), .more = on.activation(more, m, h)};
    on.run("add_rows", args);
    Numbers sum = x.numbers;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more.numbers[i];
    check_close(on.read(args.x), sum, rounding(dtype), 4.0);
    CHECK(on.read(args.more) == more.numbers);
  }
}

}  // namespace kbsim::llm::test::add_rows_test
