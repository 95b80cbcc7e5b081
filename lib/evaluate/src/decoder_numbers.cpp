#include "decoder_numbers.hpp"

#include <algorithm>
#include <cmath>

#include <range/v3/view/cycle.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/random.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

namespace views = ranges::views;

using host::HostArray;
using Doubles = std::vector<double>;

/// Arrays of random numbers, each of a seed of its own.
class Drawing {
 public:
  Drawing(DType dtype, bool values) : dtype_{dtype}, values_{values} {}

  HostArray around(const Shape& shape, double middle, double spread) {
    Random random{++seed_};
    if (!values_) return HostArray::without_numbers(shape, dtype_);
    return host::generate(shape, dtype_,
                          [&](std::int64_t) { return middle + spread * (2.0 * random.uniform() - 1.0); });
  }
  LinearNumbers linear(std::int64_t in, std::int64_t out) {
    HostArray weight = around({in, out}, 0.0, std::sqrt(3.0 / static_cast<double>(in)));
    return {std::move(weight), around({out}, 0.0, 0.2)};
  }
  LinearNumbers norm(std::int64_t size) {
    HostArray weight = around({size}, 1.0, 0.2);
    return {std::move(weight), around({size}, 0.0, 0.2)};
  }

 private:
  DType dtype_;
  bool values_;
  std::uint64_t seed_ = 0;
};

HostArray with_zeros_from(const HostArray& rows, std::int64_t first) {
  if (!rows.has_numbers()) return rows;
  std::vector<std::byte> bytes = rows.bytes();
  const auto row = rows.shape()[1] * itemsize(rows.dtype());
  std::fill(bytes.begin() + first * row, bytes.end(), std::byte{0});
  return {rows.shape(), rows.dtype(), std::move(bytes)};
}

Doubles normalised(const models::ModelConfig& model, const Doubles& x, const LinearNumbers& of) {
  const auto n = static_cast<std::size_t>(model.hidden_size);
  const Doubles weight = of.weight.to_doubles();
  const Doubles bias = of.bias.to_doubles();
  Doubles result(x.size());
  for (std::size_t row = 0; row < x.size(); row += n) {
    double mean = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += x[row + i] / static_cast<double>(n);
      squares += x[row + i] * x[row + i] / static_cast<double>(n);
    }
    if (model.rms_norm) mean = 0.0;
    const double scale = 1.0 / std::sqrt(squares - mean * mean + model.norm_eps);
    for (std::size_t i = 0; i < n; ++i)
      result[row + i] = (x[row + i] - mean) * scale * weight[i] + (model.rms_norm ? 0.0 : bias[i]);
  }
  return result;
}

Doubles affine(const Doubles& x, const LinearNumbers& of, bool bias) {
  const std::int64_t k = of.weight.shape()[0];
  const std::int64_t n = of.weight.shape()[1];
  Doubles y = replay::matmul(x, of.weight.to_doubles(), {static_cast<std::int64_t>(x.size()) / k, k, n});
  if (!bias) return y;
  const Doubles row = of.bias.to_doubles();
  for (auto&& [value, of_column] : views::zip(y, views::cycle(row))) value += of_column;
  return y;
}

// [a, b, d] as [b, a, d].
Doubles other_way_round(const Doubles& from, std::int64_t a, std::int64_t b, std::int64_t d) {
  Doubles to(from.size());
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t j = 0; j < b; ++j)
      std::copy_n(from.begin() + (i * b + j) * d, d, to.begin() + (j * a + i) * d);
  }
  return to;
}

// The rows that the layer adds stand at the cache's end.
Doubles cached(const HostArray& cache, const Doubles& added) {
  Doubles all = cache.to_doubles();
  std::ranges::copy(added, all.end() - static_cast<std::ptrdiff_t>(added.size()));
  return all;
}

Doubles attended(const DecoderProblem& problem, const Doubles& q, const Doubles& k, const Doubles& v) {
  const models::ModelConfig& model = problem.model;
  const std::int64_t d = model.head_dim;
  const Doubles o = replay::attention(other_way_round(q, problem.rows(), model.num_attention_heads, d),
                                      other_way_round(k, problem.keys(), model.num_key_value_heads, d),
                                      other_way_round(v, problem.keys(), model.num_key_value_heads, d),
                                      {.h_q = model.num_attention_heads,
                                       .h_kv = model.num_key_value_heads,
                                       .s_q = problem.rows(),
                                       .s_kv = problem.keys(),
                                       .d = d,
                                       .scale = 1.0 / std::sqrt(static_cast<double>(d)),
                                       .causal = true});
  return other_way_round(o, model.num_attention_heads, problem.rows(), d);
}

double activated(models::HiddenAct act, double v) {
  switch (act) {
    case models::HiddenAct::relu: return std::max(v, 0.0);
    case models::HiddenAct::silu: return v / (1.0 + std::exp(-v));
    case models::HiddenAct::gelu: return 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
    case models::HiddenAct::gelu_tanh: break;
  }
  return v / (1.0 + std::exp(-1.5957691216057308 * (v + 0.044715 * v * v * v)));
}

Doubles mlp(const models::ModelConfig& model, const Doubles& x, const DecoderNumbers& of) {
  Doubles inner = affine(x, model.gated() ? of.gate : of.up, model.mlp_bias);
  for (double& v : inner) v = activated(model.hidden_act, v);
  if (model.gated()) {
    const Doubles factor = affine(x, of.up, model.mlp_bias);
    for (auto&& [value, times] : views::zip(inner, factor)) value *= times;
  }
  return affine(inner, of.down, model.mlp_bias);
}

void add(Doubles& to, const Doubles& more) {
  for (auto&& [value, more_of_it] : views::zip(to, more)) value += more_of_it;
}

}  // namespace

DecoderNumbers decoder_numbers(const DecoderProblem& problem, bool values) {
  const models::ModelConfig& model = problem.model;
  const std::int64_t q_width = model.num_attention_heads * model.head_dim;
  const std::int64_t kv_width = model.num_key_value_heads * model.head_dim;
  const std::int64_t hidden = model.hidden_size;
  Drawing draw{model.torch_dtype, values};
  const std::int64_t old = problem.keys() - problem.rows();
  return {.x = draw.around({problem.rows(), hidden}, 0.0, 1.0),
          .norm1 = draw.norm(hidden),
          .norm2 = draw.norm(hidden),
          .q = draw.linear(hidden, q_width),
          .k = draw.linear(hidden, kv_width),
          .v = draw.linear(hidden, kv_width),
          .o = draw.linear(q_width, hidden),
          .gate = draw.linear(hidden, model.intermediate_size),
          .up = draw.linear(hidden, model.intermediate_size),
          .down = draw.linear(model.intermediate_size, hidden),
          .k_cache = with_zeros_from(draw.around({problem.keys(), kv_width}, 0.0, 1.0), old),
          .v_cache = with_zeros_from(draw.around({problem.keys(), kv_width}, 0.0, 1.0), old)};
}

std::vector<double> undivided(const DecoderProblem& problem, const DecoderNumbers& of) {
  const models::ModelConfig& model = problem.model;
  Doubles x = of.x.to_doubles();
  const Doubles n1 = normalised(model, x, of.norm1);
  const Doubles k = cached(of.k_cache, affine(n1, of.k, model.attention_bias));
  const Doubles v = cached(of.v_cache, affine(n1, of.v, model.attention_bias));
  const Doubles o = attended(problem, affine(n1, of.q, model.attention_bias), k, v);
  const Doubles n2 = normalised(model, x, of.norm2);  // beside attention
  add(x, affine(o, of.o, model.has_output_bias()));
  switch (model.mlp_input) {
    case models::MlpInput::attention_norm: add(x, mlp(model, n1, of)); break;
    case models::MlpInput::own_norm: add(x, mlp(model, n2, of)); break;
    case models::MlpInput::attention_sum: add(x, mlp(model, normalised(model, x, of.norm2), of)); break;
  }
  return x;
}

DecoderWork closed_form(const DecoderProblem& problem) {
  const models::ModelConfig& model = problem.model;
  const auto as_number = [](std::int64_t n) { return static_cast<double>(n); };
  const double ranks = problem.ranks;
  const double rows = as_number(problem.rows());
  const double keys = as_number(problem.keys());
  const double hidden = as_number(model.hidden_size);
  const double q_width = as_number(model.num_attention_heads * model.head_dim);
  const double kv_width = as_number(model.num_key_value_heads * model.head_dim);
  const double inner = as_number(model.intermediate_size) * (model.gated() ? 3.0 : 2.0);
  const double weights = hidden * (2.0 * q_width + 2.0 * kv_width + inner) / ranks;
  const double seen = rows * (keys - rows) + rows * (rows + 1.0) / 2.0;  // pairs of a query and a key
  const double item = itemsize(model.torch_dtype);
  return {.flop = 2.0 * rows * weights + 4.0 * seen * q_width / ranks,
          .hbm_bytes = item * (weights + 2.0 * keys * kv_width / ranks),
          .link_bytes = item * 2.0 * 2.0 * (ranks - 1.0) / ranks * rows * hidden};
}

}  // namespace kbsim::evaluate
