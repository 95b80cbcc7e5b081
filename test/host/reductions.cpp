// Reductions of tensors: each element by definition in f64, wherever the parts lie.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "operands.hpp"

namespace kbsim::host::test::reductions_test {

using namespace operands;

namespace {

enum class Of { sum, mean, norm, amax, amin };
constexpr std::array kAll{Of::sum, Of::mean, Of::norm, Of::amax, Of::amin};

// The definition, over one dimension of a row-major tensor, or over all.
Doubles defined(const Doubles& x, const Shape& shape, std::optional<int> dim, Of what) {
  std::int64_t outer = 1;
  std::int64_t n = dim ? shape[*dim] : shape.elements();
  std::int64_t inner = 1;
  for (int i = 0; dim && i < shape.rank(); ++i) {
    if (i < *dim) outer *= shape[i];
    if (i > *dim) inner *= shape[i];
  }
  Doubles all;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      double sum = 0, squares = 0, largest = -1e300, smallest = 1e300;
      for (std::int64_t k = 0; k < n; ++k) {
        const double v = x[static_cast<std::size_t>((o * n + k) * inner + i)];
        sum += v;
        squares += v * v;
        largest = std::max(largest, v);
        smallest = std::min(smallest, v);
      }
      const std::array results{sum, sum / static_cast<double>(n), std::sqrt(squares), largest, smallest};
      all.push_back(results[static_cast<std::size_t>(what)]);
    }
  }
  return all;
}

PendingTensor called(Of what, const Tensor& x, const ReductionOptions& options) {
  switch (what) {
    case Of::sum: return sum(x, options);
    case Of::mean: return mean(x, options);
    case Of::norm: return norm(x, options);
    case Of::amax: return amax(x, options);
    case Of::amin: break;
  }
  return amin(x, options);
}

struct Case {
  Shape shape;
  DType dtype = f32;
  DPPolicy dp = {};
  std::optional<int> dim = {};
};

Task<> reduces(Rank& main, Case with) {
  const HostArray numbers = normal_numbers(with.shape, with.dtype, 21);
  const Tensor x = co_await main.torch.from_host(numbers, {.dp = with.dp, .name = "x"});
  for (const Of what : kAll) {
    for (const bool keepdim : {false, true}) {
      CAPTURE(what);
      const Tensor y = co_await called(what, x, {.dim = with.dim, .keepdim = keepdim});
      CHECK(y.dtype() == with.dtype);
      CHECK(y.shape().rank() == (keepdim ? with.shape.rank() : with.dim ? with.shape.rank() - 1 : 0));
      const HostArray got = co_await y.to_host();
      check_close(got.to_doubles(), defined(numbers.to_doubles(), with.shape, with.dim, what),
                  rounding(with.dtype) * 4);
    }
  }
}

Task<> reduces_integers(Rank& main, DType dtype) {
  const HostArray numbers =
      generate({3, 50}, dtype, [](std::int64_t i) { return static_cast<double>(i % 5 != 0 ? 100 : 0); });
  const Tensor x = co_await main.torch.from_host(numbers, {.dp = kOnePe, .name = "x"});
  const Tensor total = co_await sum(x);
  CHECK(total.dtype() == i64);
  const HostArray of_total = co_await total.to_host();
  const double each = dtype == DType::boolean ? 1.0 : 100.0;
  CHECK(of_total.to_doubles() == Doubles{each * 120});
  const Tensor most = co_await amax(x, {.dim = 1});
  CHECK(most.dtype() == dtype);
  const HostArray of_most = co_await most.to_host();
  CHECK(of_most.to_doubles() == Doubles(3, each));
}

Task<> nan_propagates(Rank& main, int) {
  Doubles numbers(20, 1.0);
  numbers[7] = std::numeric_limits<double>::quiet_NaN();
  const HostArray of_x =
      generate({20}, f32, [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
  const Tensor x = co_await main.torch.from_host(of_x, {.dp = kOnePe});
  for (const Of what : kAll) {
    CAPTURE(what);
    const Tensor y = co_await called(what, x, {});
    const HostArray got = co_await y.to_host();
    CHECK(std::isnan(got.to_doubles().front()));
  }
}

struct Refused {
  int which = 0;
};
Task<> refuses(Rank& main, Refused of) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f32, {.dp = kSplitRows, .name = "x"});
  const Tensor n = co_await main.torch.zeros({4}, i32, {.dp = kOnePe, .name = "n"});
  switch (of.which) {
    case 0: co_await sum(x, {.dim = 2}); break;
    case 1: co_await mean(n); break;
    case 2: co_await amax(x, {.dim = 0}); break;
    case 3: co_await sum(n, {.out = n}); break;
    default: break;
  }
}

}  // namespace

TEST_CASE("Reductions: each by its definition, over every dimension, in every placement that has the rows") {
  const DPPolicy parts{.cube = Split::row_wise, .pe = Split::row_wise, .num_pes = 3};
  const std::vector<Case> cases{{.shape = {1}},
                                {.shape = {7}, .dim = 0},
                                {.shape = {33, 70}, .dp = kSplitRows, .dim = 1},
                                {.shape = {33, 70}, .dp = kSplitColumns, .dim = 0},
                                {.shape = {33, 70}, .dp = kOnePe, .dim = 0},
                                {.shape = {33, 70}, .dtype = f16, .dp = parts, .dim = -1 + 2},
                                {.shape = {33, 70}, .dtype = bf16},
                                {.shape = {8, 6, 10}, .dp = kSplitRows, .dim = 2},
                                {.shape = {5, 6, 10}, .dp = kOnePe, .dim = 1},
                                {.shape = {5, 6, 10}, .dp = kOnePe, .dim = 0},
                                {.shape = {5, 1, 10}, .dtype = f64, .dp = kOnePe, .dim = 1},
                                {.shape = {3, 9001}, .dp = kOnePe, .dim = 1},
                                {.shape = {9001, 3}, .dp = kOnePe, .dim = 0},
                                {.shape = {2, 9001}, .dp = kOnePe, .dim = 0},
                                {.shape = {101, 97}, .dp = kOnePe}};
  for (const Case& one : cases) {
    CAPTURE(kbsim::to_string(one.shape));
    CHECK(Program{eight_pes()}.error(reduces, one, ExitCode::usage) == "");
  }
}

TEST_CASE("Reductions: a sum of integers or bools is i64, and an extreme keeps the dtype") {
  for (const DType dtype : {i8, u8, i16, i32, i64, DType::boolean}) {
    CAPTURE(kbsim::to_string(dtype));
    Program{}.run(reduces_integers, dtype);
  }
}

TEST_CASE("Reductions: NaN propagates") { Program{}.run(nan_propagates, 0); }

TEST_CASE("Reductions: what isn't there, or lies elsewhere, is refused by name") {
  const auto error = [](int which) {
    return Program{eight_pes()}.error(refuses, Refused{which}, ExitCode::usage);
  };
  CHECK(error(0).ends_with("Dimension out of range (expected to be in range of [-2, 1], but got 2)"));
  CHECK(error(1).ends_with("mean: 'n' is i32, expected a floating dtype; cast it"));
  CHECK(
      error(2).find("place it row_wise for the last dimension, column_wise for the first one of a matrix") !=
      std::string::npos);
  CHECK(error(3).find("the result is [] i64, but out 'n' is [4] i32") != std::string::npos);
}

}  // namespace kbsim::host::test::reductions_test
