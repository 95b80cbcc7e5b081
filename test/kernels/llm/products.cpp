// Products on all PEs of a package against sums in f64.
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/kernels/llm/product.hpp"
#include "kbsim/replay/reference.hpp"

#include "mock_grid.hpp"

namespace kbsim::llm::test::products_test {
namespace {

struct ProductCase {
  std::string kernel;
  PeGrid grid;
  std::int64_t m = 1, k = 1, n = 1;
  DType dtype = f32;
  bool gated = false, has_bias = false, has_residual = false;
  Activate act = Activate::none;
  double multiplier = 1.0;
  int chunks = 1;
  bool keeps_weights = false;
  int slots = 1;
};

double act(Activate function, double x) {
  switch (function) {
    case Activate::none: return x;
    case Activate::relu: return std::max(x, 0.0);
    case Activate::silu: return x / (1.0 + std::exp(-x));
    case Activate::gelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activate::gelu_tanh: break;
  }
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

struct Operands {
  explicit Operands(const ProductCase& c)
      : x{normal(c.m * c.k, c.dtype, 1)},
        w{normal(c.k * c.n, c.dtype, 2)},
        up{normal(c.k * c.n, c.dtype, 3)},
        bias{normal(c.n, c.dtype, 4)},
        residual{normal(c.m * c.n, c.dtype, 5)},
        up_bias{normal(c.n, c.dtype, 6)} {}
  Array x, w, up, bias, residual, up_bias;
};

Numbers reference(const ProductCase& c, const Operands& of) {
  const replay::MatmulShape shape{.m = c.m, .k = c.k, .n = c.n};
  Numbers y = replay::matmul(of.x.numbers, of.w.numbers, shape);
  const Numbers up = replay::matmul(of.x.numbers, of.up.numbers, shape);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (c.has_bias) y[i] += of.bias.numbers[i % static_cast<std::size_t>(c.n)];
    y[i] = act(c.act, y[i]);
    const double up_bias = c.has_bias ? of.up_bias.numbers[i % static_cast<std::size_t>(c.n)] : 0.0;
    if (c.gated) y[i] *= up[i] + up_bias;
    y[i] *= c.multiplier;
    if (c.has_residual) y[i] += of.residual.numbers[i];
  }
  return y;
}

void check_product(const ProductCase& c) {
  const Operands of{c};
  MockGrid on{c.grid, c.slots};
  const bool columns = c.kernel == "product_columns";
  const auto weights = [&](const Array& w) {
    return columns ? on.columns(w, c.k, c.n) : on.blocks(w, c.k, c.n);
  };
  const std::int64_t scratch = columns ? scratch_of_columns(c.grid, c.m, c.k, c.n, c.chunks)
                                       : scratch_of_blocks(c.grid, c.m, c.k, c.n, c.chunks);
  ProductArgs args{.grid = c.grid,
                   .x = on.activation(of.x, c.m, c.k),
                   .y = on.room(c.m, c.n, c.dtype),
                   .w = weights(of.w),
                   .up = weights(of.up),
                   .bias = on.vector(of.bias),
                   .up_bias = on.vector(of.up_bias),
                   .residual = on.activation(of.residual, c.m, c.n),
                   .gated = c.gated,
                   .has_bias = c.has_bias,
                   .has_residual = c.has_residual,
                   .act = c.act,
                   .multiplier = c.multiplier,
                   .scratch = on.scratch(scratch, c.dtype),
                   .chunks = c.chunks,
                   .keeps_weights = c.keeps_weights};
  if (c.has_residual) args.y = args.residual;  // in place
  on.run(c.kernel, args);
  const double size =
      std::sqrt(static_cast<double>(c.k)) * (c.gated ? std::sqrt(static_cast<double>(c.k)) : 1.0);
  check_close(on.read(args.y), reference(c, of), 2 * rounding(c.dtype), size);
}

}  // namespace

TEST_CASE("product_columns, product_blocks: x w on random grids, of random shapes and epilogues") {
  std::mt19937 random{11};
  for (int round = 0; round < 120; ++round) {
    const auto any = [&](std::int64_t most) { return static_cast<int>(between(random, 0, most)); };
    const ProductCase c{.kernel = round % 2 == 0 ? "product_columns" : "product_blocks",
                        .grid = random_grid(random),
                        .m = between(random, 1, 40),
                        .k = between(random, 1, 60),
                        .n = between(random, 1, 60),
                        .dtype = any(1) == 0 ? f32 : bf16,
                        .gated = any(1) == 0,
                        .has_bias = any(1) == 0,
                        .has_residual = any(1) == 0,
                        .act = static_cast<Activate>(any(4)),
                        .multiplier = any(3) == 0 ? 0.375 : 1.0,
                        .chunks = 1 + any(2),
                        .keeps_weights = any(1) == 0,
                        .slots = 1 + any(2)};
    CAPTURE(round);
    check_product(c);
  }
}

TEST_CASE("product_columns, product_blocks: many rows, whose sums go round each cube") {
  std::mt19937 random{12};
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    check_product({.kernel = round % 3 == 0 ? "product_columns" : "product_blocks",
                   .grid = random_grid(random),
                   .m = between(random, 60, 200),
                   .k = between(random, 1, 60),
                   .n = between(random, 1, 60),
                   .gated = round % 2 == 0,
                   .has_residual = round % 5 == 0,
                   .chunks = static_cast<int>(between(random, 1, 3)),
                   .keeps_weights = round % 4 == 0,
                   .slots = static_cast<int>(between(random, 1, 3))});
  }
}

TEST_CASE("product_columns, product_blocks: fewer rows than PEs, columns than cubes, or one of all") {
  for (const char* kernel : {"product_columns", "product_blocks"}) {
    CAPTURE(kernel);
    check_product({.kernel = kernel, .grid = {.w = 3, .h = 2, .pes = 5}, .m = 1, .k = 1, .n = 1});
    check_product({.kernel = kernel, .grid = {.w = 3, .h = 2, .pes = 5}, .m = 3, .k = 2, .n = 40});
    check_product({.kernel = kernel, .grid = {.w = 1, .h = 1, .pes = 1}, .m = 5, .k = 7, .n = 3});
    check_product({.kernel = kernel, .grid = {.w = 2, .h = 1, .pes = 4}, .m = 1, .k = 300, .n = 2});
  }
}

}  // namespace kbsim::llm::test::products_test
