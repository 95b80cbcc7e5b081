#include "kbsim/kernels/attention.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "both.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

struct Size {
  std::int64_t s_q, s_kv, d;
};

struct Matrix {
  const Numbers& numbers;
  std::int64_t columns;
  double operator()(std::int64_t row, std::int64_t column) const {
    return numbers[static_cast<std::size_t>(row * columns + column)];
  }
};

// Plain attention, query by query. If it is causal, the last query stands at the last key.
Numbers attention(const Array& q, const Array& k, const Array& v, Size size, double scale, bool causal) {
  const Matrix Q{q.numbers, size.d};
  const Matrix K{k.numbers, size.d};
  const Matrix V{v.numbers, size.d};
  Numbers out;
  for (std::int64_t i = 0; i < size.s_q; ++i) {
    const std::int64_t keys = causal ? size.s_kv - size.s_q + i + 1 : size.s_kv;
    if (keys <= 0) {
      out.insert(out.end(), static_cast<std::size_t>(size.d), 0.0);
      continue;
    }
    Numbers scores;
    for (std::int64_t j = 0; j < keys; ++j) {
      double score = 0.0;
      for (std::int64_t x = 0; x < size.d; ++x) score += Q(i, x) * K(j, x);
      scores.push_back(score * scale);
    }
    const double largest = *std::ranges::max_element(scores);
    double sum = 0.0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (std::int64_t x = 0; x < size.d; ++x) {
      double mixed = 0.0;
      for (std::int64_t j = 0; j < keys; ++j) mixed += scores[static_cast<std::size_t>(j)] / sum * V(j, x);
      out.push_back(mixed);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("flash_attention: equals plain attention, with and without a causal mask, ragged blocks too") {
  for (const Size size :
       {Size{1, 1, 8}, {32, 32, 16}, {64, 96, 32}, {50, 70, 24}, {33, 31, 7}, {100, 5, 8}, {7, 1, 3}}) {
    for (const bool causal : {false, true}) {
      CAPTURE(size.s_q);
      CAPTURE(size.s_kv);
      CAPTURE(causal);
      const Array q = normal(size.s_q * size.d, f32, 1);
      const Array k = normal(size.s_kv * size.d, f32, 2);
      const Array v = normal(size.s_kv * size.d, f32, 3);
      const double scale = 1.0 / std::sqrt(static_cast<double>(size.d));
      check_both({.kernel = "flash_attention",
                  .in = {q, k, v},
                  .out = size.s_q * size.d,
                  .arguments =
                      [&](const std::vector<Ptr>& in, Ptr out) {
                        return FlashAttentionArgs{.q = in[0],
                                                  .k = in[1],
                                                  .v = in[2],
                                                  .o = out,
                                                  .s_q = size.s_q,
                                                  .s_kv = size.s_kv,
                                                  .d = size.d,
                                                  .scale = scale,
                                                  .causal = causal};
                      }},
                 attention(q, k, v, size, scale, causal), 5e-6);
    }
  }
}
