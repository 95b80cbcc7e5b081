#include "kbsim/kernels/matmul.hpp"

#include <doctest/doctest.h>

#include "kbsim/replay/reference.hpp"

#include "both.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

struct MatmulSize {
  std::int64_t m, n, k;
};
const std::vector<MatmulSize> kSizes{{1, 1, 1}, {32, 32, 64}, {33, 31, 65}, {7, 100, 13}, {64, 96, 128}};

struct Problem {
  Problem(MatmulSize s, DType dtype)
      : size{s},
        a{normal(s.m * s.k, dtype, 1)},
        b{normal(s.k * s.n, dtype, 2)},
        product{replay::matmul(a.numbers, b.numbers, {.m = s.m, .k = s.k, .n = s.n})} {}
  MatmulSize size;
  Array a, b;
  Numbers product;
};

// In f32 the error of a sum of k products is about sqrt(k) roundings.
double tolerance(MatmulSize size) { return 1e-6 * std::sqrt(static_cast<double>(size.k)) + 1e-6; }

}  // namespace

TEST_CASE("gemm: the product, ragged edges included, for f16 and f32") {
  for (const MatmulSize size : kSizes) {
    for (const DType dtype : {f16, f32}) {
      CAPTURE(size.m);
      CAPTURE(size.n);
      CAPTURE(size.k);
      const Problem problem{size, dtype};
      check_both({.kernel = "gemm",
                  .in = {problem.a, problem.b},
                  .out = size.m * size.n,
                  .arguments =
                      [&](const std::vector<Ptr>& in, Ptr out) {
                        return GemmArgs{
                            .a = in[0], .b = in[1], .c = out, .m = size.m, .n = size.n, .k = size.k};
                      }},
                 problem.product, tolerance(size));
    }
  }
}

TEST_CASE("matmul_composite: the product, wherever the operands are") {
  for (const MatmulSize size : kSizes) {
    for (const Staging staging : {Staging::ref_ref, Staging::load_ref, Staging::load_load}) {
      CAPTURE(size.m);
      CAPTURE(size.n);
      CAPTURE(size.k);
      CAPTURE(static_cast<int>(staging));
      const Problem problem{size, f16};
      check_both({.kernel = "matmul_composite",
                  .in = {problem.a, problem.b},
                  .out = size.m * size.n,
                  .arguments =
                      [&](const std::vector<Ptr>& in, Ptr out) {
                        return MatmulArgs{.a = in[0],
                                          .b = in[1],
                                          .c = out,
                                          .m = size.m,
                                          .n = size.n,
                                          .k = size.k,
                                          .staging = staging};
                      }},
                 problem.product, tolerance(size));
    }
  }
}

TEST_CASE("qkv_gemm: three products of one X, loaded or streamed") {
  const MatmulSize size{.m = 40, .n = 24, .k = 96};
  for (const bool load_x : {false, true}) {
    CAPTURE(load_x);
    const Array x = normal(size.m * size.k, f16, 1);
    Case kernel{.kernel = "qkv_gemm", .in = {x}, .out = 3 * size.m * size.n};
    Numbers expected;
    for (unsigned i = 0; i < 3; ++i) {
      const Array w = normal(size.k * size.n, f16, 10 + i);
      kernel.in.push_back(w);
      const Numbers part = replay::matmul(x.numbers, w.numbers, {.m = size.m, .k = size.k, .n = size.n});
      expected.insert(expected.end(), part.begin(), part.end());
    }
    kernel.arguments = [&](const std::vector<Ptr>& in, Ptr out) {
      const std::int64_t each = size.m * size.n;
      return QkvArgs{.x = in[0],
                     .wq = in[1],
                     .wk = in[2],
                     .wv = in[3],
                     .q = out,
                     .k = out + each,
                     .v = out + 2 * each,
                     .rows = size.m,
                     .d_model = size.k,
                     .columns = size.n,
                     .load_x = load_x};
    };
    check_both(kernel, expected, tolerance(size));
  }
}
