// Kernels of the host's operators, in the mock and on a machine of one PE.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/replay/reference.hpp"
#include "kbsim/tl/operator_args.hpp"

#include "both.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace operators_test {

TEST_CASE("pointwise: blocks with ragged edges, by a block, a row or a number") {
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kCols = 13;
  const Array x = normal(kRows * kCols, f32, 1);
  for (const auto second :
       {PointwiseArgs::Second::block, PointwiseArgs::Second::row, PointwiseArgs::Second::number}) {
    const Array y = normal(kRows * kCols, f32, 2);
    Numbers expected;
    for (std::size_t i = 0; i < x.numbers.size(); ++i)
      expected.push_back(x.numbers[i] -
                         (second == PointwiseArgs::Second::number
                              ? 0.25
                              : y.numbers[second == PointwiseArgs::Second::row ? i % kCols : i]));
    check_both({.kernel = "pointwise",
                .in = {x, y},
                .out = kRows * kCols,
                .arguments =
                    [&](const std::vector<Ptr>& in, Ptr out) {
                      return PointwiseArgs{.op = Pointwise::sub,
                                           .x = {in[0], kCols},
                                           .y = {in[1], kCols},
                                           .out = {out, kCols},
                                           .y_is = second,
                                           .number = 0.25,
                                           .rows = kRows,
                                           .cols = kCols,
                                           .block_rows = 2,
                                           .block_cols = 8};
                    }},
               expected, 1e-7);
  }
}

TEST_CASE("linear: odd sizes, with and without a bias") {
  constexpr std::int64_t kM = 7, kN = 33, kK = 65;
  const Array x = normal(kM * kK, f16, 3);
  const Array w = normal(kK * kN, f16, 4);
  const Array bias = normal(kN, f16, 5);
  for (const bool has_bias : {false, true}) {
    Numbers expected = replay::matmul(x.numbers, w.numbers, {kM, kK, kN});
    for (std::size_t i = 0; has_bias && i < expected.size(); ++i) expected[i] += bias.numbers[i % kN];
    check_both({.kernel = "linear",
                .in = {x, w, bias},
                .out = kM * kN,
                .arguments =
                    [&](const std::vector<Ptr>& in, Ptr out) {
                      return LinearArgs{.x = in[0],
                                        .w = in[1],
                                        .bias = in[2],
                                        .out = out,
                                        .m = kM,
                                        .n = kN,
                                        .k = kK,
                                        .has_bias = has_bias};
                    }},
               expected, 1e-5);
  }
}

TEST_CASE("rms_norm: as computed in f64") {
  constexpr std::int64_t kRows = 19, kCols = 31;
  const Array x = normal(kRows * kCols, f32, 6, 3.0);
  const Array weight = normal(kCols, f32, 7);
  Numbers expected;
  for (std::size_t row = 0; row < kRows; ++row) {
    double squares = 0.0;
    for (std::size_t i = 0; i < kCols; ++i) squares += std::pow(x.numbers[row * kCols + i], 2) / kCols;
    for (std::size_t i = 0; i < kCols; ++i)
      expected.push_back(x.numbers[row * kCols + i] / std::sqrt(squares + 1e-5) * weight.numbers[i]);
  }
  check_both({.kernel = "rms_norm",
              .in = {x, weight},
              .out = kRows * kCols,
              .arguments =
                  [&](const std::vector<Ptr>& in, Ptr out) {
                    return RmsNormArgs{.x = in[0], .weight = in[1], .out = out, .rows = kRows, .cols = kCols};
                  }},
             expected, 2e-5);
}

TEST_CASE("embedding: rows that this table has, zeros for those of others") {
  const Array words{{4, 9, 5, 3, 6, 4, 0}, i32};
  const Array table{{10, 11, 20, 21, 30, 31}, f32};  // of words 4, 5 and 6
  check_both({.kernel = "embedding",
              .in = {words, table},
              .out = 14,
              .arguments =
                  [](const std::vector<Ptr>& in, Ptr out) {
                    return EmbeddingArgs{.indices = in[0],
                                         .table = in[1],
                                         .out = out,
                                         .n = 7,
                                         .rows = 3,
                                         .cols = 2,
                                         .first = 4,
                                         .vocabulary = 10,
                                         .block = 3};
                  }},
             {10, 11, 0, 0, 20, 21, 0, 0, 30, 31, 10, 11, 0, 0}, 0.0);
}

TEST_CASE("cached_attention: one head is plain attention, in blocks of queries and keys") {
  constexpr std::int64_t kD = 8;
  const auto check = [](std::int64_t queries, std::int64_t keys, bool causal) {
    CAPTURE(queries);
    CAPTURE(causal);
    const Array q = normal(queries * kD, f32, 8);
    const Array k = normal(keys * kD, f32, 9);
    const Array v = normal(keys * kD, f32, 10);
    const Numbers expected =
        replay::attention(q.numbers, k.numbers, v.numbers,
                          {.s_q = queries, .s_kv = keys, .d = kD, .scale = 0.3, .causal = causal});
    check_both({.kernel = "cached_attention",
                .in = {q, k, v},
                .out = queries * kD,
                .arguments =
                    [&](const std::vector<Ptr>& in, Ptr out) {
                      return CachedAttentionArgs{.q = in[0],
                                                 .k = in[1],
                                                 .v = in[2],
                                                 .out = out,
                                                 .s_q = queries,
                                                 .s_kv = keys,
                                                 .first_query = keys - queries,
                                                 .d = kD,
                                                 .block_queries = 4,
                                                 .block_keys = 6,
                                                 .scale = 0.3,
                                                 .causal = causal};
                    }},
               expected, 1e-5);
  };
  for (const bool causal : {false, true}) {
    check(9, 21, causal);
    check(21, 9, causal);  // causal: blocks of queries that see no key, and one that begins with such
    check(5, 1, causal);
  }
}

}  // namespace operators_test
