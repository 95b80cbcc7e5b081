// Norms on all PEs of a package against the definitions in f64.
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/kernels/llm/norm_rows.hpp"

#include "mock_grid.hpp"

namespace kbsim::llm::test::norms_test {
namespace {

struct NormCase {
  bool centres = false;  // layer_norm
  PeGrid grid;
  std::int64_t m = 1, h = 1;
  DType dtype = f32;
  bool has_weight = true, has_bias = true, plus_one = false;
};

Numbers normalised(const NormCase& c, const Array& x, const Array& weight, const Array& bias, double eps) {
  Numbers y;
  const auto h = static_cast<std::size_t>(c.h);
  for (std::size_t row = 0; row < x.numbers.size(); row += h) {
    double mean = 0.0;
    for (std::size_t i = 0; c.centres && i < h; ++i) mean += x.numbers[row + i] / static_cast<double>(c.h);
    double variance = 0.0;
    for (std::size_t i = 0; i < h; ++i)
      variance += std::pow(x.numbers[row + i] - mean, 2) / static_cast<double>(c.h);
    for (std::size_t i = 0; i < h; ++i) {
      double normal = (x.numbers[row + i] - mean) / std::sqrt(variance + eps);
      if (c.has_weight) normal *= weight.numbers[i] + (c.plus_one ? 1.0 : 0.0);
      y.push_back(c.centres && c.has_bias ? normal + bias.numbers[i] : normal);
    }
  }
  return y;
}

}  // namespace

TEST_CASE("rms_norm_rows, layer_norm_rows: as defined, on random grids, in place or not") {
  std::mt19937 random{5};
  for (int round = 0; round < 60; ++round) {
    const NormCase c{.centres = round % 2 == 0,
                     .grid = random_grid(random),
                     .m = between(random, 1, 40),
                     .h = between(random, 1, 40),
                     .dtype = between(random, 0, 1) == 0 ? f32 : bf16,
                     .has_weight = between(random, 0, 3) > 0,
                     .has_bias = between(random, 0, 3) > 0,
                     .plus_one = between(random, 0, 1) == 0};
    CAPTURE(round);
    const Array x = normal(c.m * c.h, c.dtype, 1, 3.0);
    const Array weight = normal(c.h, c.dtype, 2);
    const Array bias = normal(c.h, c.dtype, 3);
    MockGrid on{c.grid};
    NormArgs args{.grid = c.grid,
                  .x = on.activation(x, c.m, c.h),
                  .y = on.room(c.m, c.h, c.dtype),
                  .weight = on.vector(weight),
                  .bias = on.vector(bias),
                  .has_weight = c.has_weight,
                  .has_bias = c.has_bias,
                  .plus_one = c.plus_one,
                  .eps = 1e-3};
    if (round % 3 == 0) args.y = args.x;
    on.run(c.centres ? "layer_norm_rows" : "rms_norm_rows", args);
    check_close(on.read(args.y), normalised(c, x, weight, bias, args.eps), 2 * rounding(c.dtype), 3.0);
  }
}

}  // namespace kbsim::llm::test::norms_test
