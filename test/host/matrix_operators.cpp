// Products, norms and attention: right numbers wherever the parts lie.
#include <array>
#include <cmath>
#include <utility>

#include <doctest/doctest.h>

#include "operands.hpp"

namespace kbsim::host::test::matrix_operators_test {

using namespace operands;

namespace {

struct ProductCase {
  DPPolicy of_x;
  DPPolicy of_w;
  std::int64_t m, k, n;
  DType dtype = f16;
  bool bias = false;
  DPPolicy of_bias = {};
};

Doubles product_of(const Doubles& x, const Doubles& w, const Doubles& bias, const ProductCase& with) {
  Doubles result;
  for (std::int64_t i = 0; i < with.m; ++i) {
    for (std::int64_t j = 0; j < with.n; ++j) {
      double sum = bias.empty() ? 0.0 : bias[static_cast<std::size_t>(j)];
      for (std::int64_t k = 0; k < with.k; ++k)
        sum += x[static_cast<std::size_t>(i * with.k + k)] * w[static_cast<std::size_t>(k * with.n + j)];
      result.push_back(sum);
    }
  }
  return result;
}

Task<> multiplies(Rank& main, ProductCase with) {
  const HostArray of_x = normal_numbers({with.m, with.k}, with.dtype, 7);
  const HostArray of_w = normal_numbers({with.k, with.n}, with.dtype, 8);
  const HostArray of_bias = normal_numbers({with.n}, with.dtype, 9);
  const Tensor x = co_await main.torch.from_host(of_x, {.dp = with.of_x, .name = "x"});
  const Tensor w = co_await main.torch.from_host(of_w, {.dp = with.of_w, .name = "w"});
  const Tensor b = co_await main.torch.from_host(of_bias, {.dp = with.of_bias, .name = "b"});
  const PendingTensor pending = with.bias ? linear(x, w, b) : matmul(x, w);
  const Tensor y = co_await pending;
  CHECK(y.shape() == Shape{with.m, with.n});
  const HostArray got = co_await y.to_host();
  const Doubles expected =
      product_of(of_x.to_doubles(), of_w.to_doubles(), with.bias ? of_bias.to_doubles() : Doubles{}, with);
  check_close(got.to_doubles(), expected, rounding(with.dtype));
}

Task<> normalises(Rank& main, DPPolicy dp) {
  constexpr std::int64_t kCols = 37;
  const HostArray of_x = normal_numbers({9, kCols}, f32, 11, 4.0);
  const HostArray of_weight = normal_numbers({kCols}, f32, 12);
  const HostArray of_bias = normal_numbers({kCols}, f32, 13);
  const Tensor x = co_await main.torch.from_host(of_x, {.dp = dp, .name = "x"});
  const Tensor weight = co_await main.torch.from_host(of_weight, {.name = "weight"});
  const Tensor bias = co_await main.torch.from_host(of_bias, {.name = "bias"});
  const Tensor soft = co_await softmax(x);
  const Tensor layer = co_await layer_norm(x, weight, bias);
  const Tensor rms = co_await rms_norm(x, weight, 1e-6);
  const Doubles numbers = of_x.to_doubles();
  Doubles expected[3];
  for (std::size_t row = 0; row < 9; ++row) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(row * kCols);
    const Doubles in(first, first + kCols);
    double mean = 0.0, squares = 0.0, exps = 0.0;
    for (const double v : in) {
      mean += v / kCols;
      squares += v * v / kCols;
      exps += std::exp(v);
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double weighted = of_weight.to_doubles()[i];
      expected[0].push_back(std::exp(in[i]) / exps);
      expected[1].push_back((in[i] - mean) / std::sqrt(squares - mean * mean + 1e-5) * weighted +
                            of_bias.to_doubles()[i]);
      expected[2].push_back(in[i] / std::sqrt(squares + 1e-6) * weighted);
    }
  }
  const Tensor* results[]{&soft, &layer, &rms};
  for (std::size_t i = 0; i < 3; ++i) {
    const HostArray got = co_await results[i]->to_host();
    check_close(got.to_doubles(), expected[i], 1e-5);
  }
}

struct HeadsCase {
  std::int64_t queries, keys, heads, kv_heads, d;
  bool causal = false;
  DPPolicy dp = {};
};

// Attention of each query, in f64.
Doubles attended(const Doubles& q, const Doubles& k, const Doubles& v, const HeadsCase& of) {
  Doubles result(q.size());
  const auto at = [&](const Doubles& x, std::int64_t row, std::int64_t heads, std::int64_t head,
                      std::int64_t i) {
    return x[static_cast<std::size_t>((row * heads + head) * of.d + i)];
  };
  for (std::int64_t row = 0; row < of.queries; ++row) {
    const std::int64_t seen = of.causal ? of.keys - of.queries + row + 1 : of.keys;
    for (std::int64_t head = 0; head < of.heads; ++head) {
      const std::int64_t kv = head / (of.heads / of.kv_heads);
      Doubles weights;
      double sum = 0.0;
      for (std::int64_t key = 0; key < seen; ++key) {
        double score = 0.0;
        for (std::int64_t i = 0; i < of.d; ++i)
          score += at(q, row, of.heads, head, i) * at(k, key, of.kv_heads, kv, i);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(of.d))));
        sum += weights.back();
      }
      for (std::int64_t i = 0; i < of.d; ++i) {
        double out = 0.0;
        for (std::int64_t key = 0; key < seen; ++key)
          out += weights[static_cast<std::size_t>(key)] / sum * at(v, key, of.kv_heads, kv, i);
        result[static_cast<std::size_t>((row * of.heads + head) * of.d + i)] = out;
      }
    }
  }
  return result;
}

Task<> attends(Rank& main, HeadsCase with) {
  const HostArray of_q = normal_numbers({with.queries, with.heads * with.d}, f16, 21, 2.0);
  const HostArray of_k = normal_numbers({with.keys, with.kv_heads * with.d}, f16, 22, 2.0);
  const HostArray of_v = normal_numbers({with.keys, with.kv_heads * with.d}, f16, 23);
  const Tensor q = co_await main.torch.from_host(of_q, {.dp = with.dp, .name = "q"});
  // Rows of a longer cache.
  const Tensor k_cache =
      co_await main.torch.zeros({with.keys + 3, with.kv_heads * with.d}, f16, {.name = "k"});
  const Tensor v_cache =
      co_await main.torch.zeros({with.keys + 3, with.kv_heads * with.d}, f16, {.name = "v"});
  const Tensor k = k_cache[IndexRange{0, with.keys}];
  const Tensor v = v_cache[IndexRange{0, with.keys}];
  co_await k.copy_(of_k);
  co_await v.copy_(of_v);
  const PendingTensor pending = scaled_dot_product_attention(
      q, k, v, {.heads = with.heads, .kv_heads = with.kv_heads, .is_causal = with.causal});
  const Tensor o = co_await pending;
  const HostArray got = co_await o.to_host();
  check_close(got.to_doubles(), attended(of_q.to_doubles(), of_k.to_doubles(), of_v.to_doubles(), with),
              3e-3);
}

}  // namespace

TEST_CASE("matmul: rows of x by columns of w, as they are placed; linear adds the bias") {
  const DPPolicy cubes_rows{.cube = Split::row_wise};
  const DPPolicy pes_columns{.pe = Split::column_wise};
  const DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const std::vector<std::pair<DPPolicy, DPPolicy>> placements{
      {{}, {}}, {one, one}, {kSplitRows, {}}, {{}, kSplitColumns}, {cubes_rows, pes_columns}, {one, {}}};
  for (const auto& [of_x, of_w] : placements) {
    for (const auto& [m, k, n] : {std::array{1, 1, 1}, {17, 65, 33}, {5, 7, 3}}) {
      for (const bool bias : {false, true}) {
        CAPTURE(m);
        CAPTURE(topology::to_string(of_x.cube));
        CAPTURE(topology::to_string(of_w.pe));
        Program{eight_pes()}.run(multiplies, {of_x, of_w, m, k, n, f16, bias});
        Program{eight_pes()}.run(multiplies, {of_x, of_w, m, k, n, f32, bias, of_w});
      }
    }
  }
  Program{eight_pes()}.run(multiplies, {kSplitRows, {}, 6, 9, 4, f64, true});
}

TEST_CASE("softmax, layer_norm and rms_norm: over whole rows, as computed in f64") {
  for (const DPPolicy& dp : {DPPolicy{}, kSplitRows, DPPolicy{.num_cubes = 1, .num_pes = 1}})
    Program{eight_pes()}.run(normalises, dp);
}

TEST_CASE("scaled_dot_product_attention: grouped heads over rows of a cache, causal or not, as in f64") {
  for (const bool causal : {false, true}) {
    for (const HeadsCase& sizes :
         {HeadsCase{1, 1, 1, 1, 1}, HeadsCase{1, 70, 4, 2, 8}, HeadsCase{5, 9, 6, 2, 16},
          HeadsCase{37, 131, 2, 2, 16}, HeadsCase{8, 8, 3, 1, 5}, HeadsCase{40, 7, 4, 2, 8}}) {
      HeadsCase with = sizes;
      with.causal = causal;
      Program{eight_pes()}.run(attends, with);
      with.dp = kSplitRows;
      Program{eight_pes()}.run(attends, with);
    }
  }
}

}  // namespace kbsim::host::test::matrix_operators_test
