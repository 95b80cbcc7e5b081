#include "kbsim/kernels/rowwise.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include <doctest/doctest.h>

#include "both.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

struct RowSize {
  std::int64_t rows;
  std::int64_t cols;
};
const std::vector<RowSize> kRowSizes{{1, 1}, {16, 64}, {7, 33}, {37, 1}, {40, 257}};

std::span<const double> row(const Numbers& x, std::int64_t index, std::int64_t cols) {
  return std::span{x}.subspan(static_cast<std::size_t>(index * cols), static_cast<std::size_t>(cols));
}

Numbers softmax(const Numbers& x, RowSize size) {
  Numbers result;
  for (std::int64_t r = 0; r < size.rows; ++r) {
    const auto in = row(x, r, size.cols);
    const double largest = *std::ranges::max_element(in);
    double sum = 0.0;
    for (const double v : in) sum += std::exp(v - largest);
    for (const double v : in) result.push_back(std::exp(v - largest) / sum);
  }
  return result;
}

Numbers layer_norm(const Numbers& x, const Numbers& weight, const Numbers& bias, RowSize size, double eps) {
  Numbers result;
  const auto n = static_cast<double>(size.cols);
  for (std::int64_t r = 0; r < size.rows; ++r) {
    const auto in = row(x, r, size.cols);
    double mean = 0.0;
    for (const double v : in) mean += v / n;
    double variance = 0.0;
    for (const double v : in) variance += (v - mean) * (v - mean) / n;
    for (std::size_t i = 0; i < in.size(); ++i)
      result.push_back((in[i] - mean) / std::sqrt(variance + eps) * weight[i] + bias[i]);
  }
  return result;
}

}  // namespace

TEST_CASE("softmax: each row sums to 1, as computed in f64") {
  for (const RowSize size : kRowSizes) {
    CAPTURE(size.rows);
    CAPTURE(size.cols);
    const Array x = normal(size.rows * size.cols, f32, 3, 10.0);
    check_both({.kernel = "softmax",
                .in = {x},
                .out = size.rows * size.cols,
                .arguments =
                    [&](const std::vector<Ptr>& in, Ptr out) {
                      return SoftmaxArgs{.x = in[0], .out = out, .rows = size.rows, .cols = size.cols};
                    }},
               softmax(x.numbers, size), 2e-6);
  }
}

TEST_CASE("softmax: rows of equal, huge and infinite scores stay finite") {
  const double inf = std::numeric_limits<double>::infinity();
  const Array x{{5, 5, 5, 5, 3e38, -3e38, 0, 1, -inf, 0, -inf, 0}, f32};
  check_both({.kernel = "softmax",
              .in = {x},
              .out = 12,
              .arguments = [](const std::vector<Ptr>& in,
                              Ptr out) { return SoftmaxArgs{.x = in[0], .out = out, .rows = 3, .cols = 4}; }},
             {0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0, 0.5, 0, 0.5}, 1e-7);
}

TEST_CASE("layer_norm: as computed in f64, for f16 and f32") {
  for (const RowSize size : kRowSizes) {
    for (const DType dtype : {f16, f32}) {
      CAPTURE(size.rows);
      CAPTURE(size.cols);
      const Array x = normal(size.rows * size.cols, dtype, 4, 3.0);
      const Array weight = normal(size.cols, dtype, 5);
      const Array bias = normal(size.cols, dtype, 6);
      check_both({.kernel = "layer_norm",
                  .in = {x, weight, bias},
                  .out = size.rows * size.cols,
                  .out_dtype = dtype,
                  .arguments =
                      [&](const std::vector<Ptr>& in, Ptr out) {
                        return LayerNormArgs{.x = in[0],
                                             .weight = in[1],
                                             .bias = in[2],
                                             .out = out,
                                             .rows = size.rows,
                                             .cols = size.cols};
                      }},
                 layer_norm(x.numbers, weight.numbers, bias.numbers, size, 1e-5), dtype == f16 ? 1e-3 : 2e-5);
    }
  }
}
