// Token ids to logits: embedding, layers, final norm, head.
#include "kbsim/models/model_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "reference_math.hpp"

namespace kbsim::models {
namespace {

std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

void add_scaled(std::vector<double>& to, const std::vector<double>& more, double factor) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * more[i];
}

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

ReferenceModel::ReferenceModel(ModelConfig model, const WeightFunction& weights) : model_{std::move(model)} {
  if (model_.positions == Positions::rotary)
    frequencies_ = rope_frequencies(model_.rope, model_.rotary_dims());
  const auto load = [&](const WeightShape& shape, std::int64_t layer) {
    Rows& elements = weights_[{shape.weight, layer}];
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      for (std::int64_t column = 0; column < shape.columns; ++column)
        elements.push_back(weights(shape.weight, layer, row, column));
    }
  };
  for (const WeightShape& shape : weights_beside_layers(model_)) load(shape, 0);
  for (std::int64_t layer = 0; layer < model_.num_hidden_layers; ++layer) {
    for (const WeightShape& shape : layer_weights(model_)) load(shape, layer);
  }
}

ReferenceCache ReferenceModel::empty_cache() const {
  const std::vector<std::vector<double>> none(as_size(model_.num_hidden_layers));
  return {.tokens = 0, .keys = none, .values = none};
}

std::vector<double> ReferenceModel::logits(std::span<const std::int64_t> tokens,
                                           ReferenceCache& cache) const {
  Rows x = embedded(tokens, cache.tokens);
  for (std::int64_t layer = 0; layer < model_.num_hidden_layers; ++layer) add_layer(x, layer, cache);
  cache.tokens += static_cast<std::int64_t>(tokens.size());
  return head(x);
}

std::vector<double> ReferenceModel::logits(std::span<const ReferenceSequence> batch) const {
  std::vector<double> all;
  for (const ReferenceSequence& sequence : batch) {
    const std::vector<double> rows = logits(sequence.tokens, *sequence.cache);
    const auto wanted = static_cast<std::ptrdiff_t>(sequence.logit_rows * model_.vocab_size);
    all.insert(all.end(), rows.end() - wanted, rows.end());
  }
  return all;
}

const ReferenceModel::Rows* ReferenceModel::find(Weight weight, std::int64_t layer) const {
  const auto found = weights_.find({weight, layer});
  return found == weights_.end() ? nullptr : &found->second;
}

ReferenceModel::Rows ReferenceModel::embedded(std::span<const std::int64_t> tokens,
                                              std::int64_t first_position) const {
  const std::size_t hidden = as_size(model_.hidden_size);
  const Rows& embedding = *find(Weight::embedding, 0);
  const Rows* positions = find(Weight::positions, 0);
  Rows x;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::size_t place = as_size(first_position + model_.first_position_row) + t;
    if (tokens[t] < 0 || tokens[t] >= model_.vocab_size)
      throw UsageError{fmt::format("token {} isn't one of {}", tokens[t], model_.vocab_size)};
    if (positions != nullptr && place >= as_size(model_.position_rows))
      throw UsageError{fmt::format("token {} of a sequence has no row among {} of learned positions",
                                   as_size(first_position) + t, model_.position_rows)};
    for (std::size_t i = 0; i < hidden; ++i)
      x.push_back(model_.embedding_multiplier * embedding[as_size(tokens[t]) * hidden + i] +
                  (positions != nullptr ? (*positions)[place * hidden + i] : 0.0));
  }
  return x;
}

ReferenceModel::Rows ReferenceModel::normed(const Rows& x, Weight norm, Weight bias,
                                            std::int64_t layer) const {
  const std::size_t hidden = as_size(model_.hidden_size);
  const Rows* weight = find(norm, layer);
  const Rows* offset = find(bias, layer);
  Rows y = x;
  for (std::size_t row = 0; row < y.size(); row += hidden) {
    const std::span<double> one{y.data() + row, hidden};
    if (model_.rms_norm) {
      rms_normalise(one, model_.norm_eps);
    } else {
      layer_normalise(one, model_.norm_eps);
    }
    for (std::size_t i = 0; i < hidden; ++i) {
      if (weight != nullptr) one[i] *= (*weight)[i] + (model_.norm_plus_one ? 1.0 : 0.0);
      if (offset != nullptr) one[i] += (*offset)[i];
    }
  }
  return y;
}

ReferenceModel::Rows ReferenceModel::product(const Rows& x, Weight matrix, Weight bias,
                                             std::int64_t layer) const {
  const Rows& w = *find(matrix, layer);
  const Rows* offset = find(bias, layer);
  const bool to_hidden = matrix == Weight::output || matrix == Weight::down;
  const std::size_t n = to_hidden ? as_size(model_.hidden_size) : w.size() / as_size(model_.hidden_size);
  Rows y = multiply(x, w, w.size() / n, n);
  for (std::size_t i = 0; offset != nullptr && i < y.size(); ++i) y[i] += (*offset)[i % n];
  return y;
}

// Norms of heads and their turns by position.
void ReferenceModel::turn_heads(Rows& x, Weight norm, std::int64_t layer, std::int64_t first_position) const {
  const std::size_t d = as_size(model_.head_dim);
  const std::size_t width = norm == Weight::q_norm ? as_size(model_.q_width()) : as_size(model_.kv_width());
  const Rows* weight = find(norm, layer);
  for (std::size_t at = 0; at < x.size(); at += d) {
    const std::span<double> head{x.data() + at, d};
    const std::size_t position = as_size(first_position) + at / width;
    if (weight != nullptr) {
      rms_normalise(head, model_.norm_eps);
      for (std::size_t i = 0; i < d; ++i) head[i] *= (*weight)[i];
    }
    if (model_.positions == Positions::rotary && model_.layer_kind(layer).rotary)
      turn(head, frequencies_, model_.rope.interleaved, static_cast<double>(position));
  }
}

// A row at position p sees keys from the window's first one to p.
ReferenceModel::Rows ReferenceModel::attended(const Rows& q, std::int64_t layer,
                                              const ReferenceCache& cache) const {
  const std::size_t d = as_size(model_.head_dim);
  const std::size_t width = as_size(model_.q_width());
  const std::size_t kv_width = as_size(model_.kv_width());
  const std::size_t group = width / kv_width;  // heads of queries that share a head of keys
  const std::size_t window = as_size(model_.layer_kind(layer).window);
  const double scale = model_.attention_scale.value_or(1.0 / std::sqrt(static_cast<double>(d)));
  const Rows& keys = cache.keys[as_size(layer)];
  const Rows& values = cache.values[as_size(layer)];
  Rows out(q.size());
  for (std::size_t at = 0; at < q.size(); at += d) {
    const std::size_t end = as_size(cache.tokens) + at / width + 1;
    const std::size_t first = window > 0 && end > window ? end - window : 0;
    const std::size_t kv_head = at % width / d / group * d;
    std::vector<double> shares;
    for (std::size_t key = first; key < end; ++key)
      shares.push_back(scale * dot({q.data() + at, d}, {keys.data() + key * kv_width + kv_head, d}));
    softmax(shares);
    for (std::size_t key = first; key < end; ++key) {
      for (std::size_t i = 0; i < d; ++i)
        out[at + i] += shares[key - first] * values[key * kv_width + kv_head + i];
    }
  }
  return out;
}

ReferenceModel::Rows ReferenceModel::attention(const Rows& normal, std::int64_t layer,
                                               ReferenceCache& cache) const {
  Rows q = product(normal, Weight::q, Weight::q_bias, layer);
  Rows k = product(normal, Weight::k, Weight::k_bias, layer);
  turn_heads(q, Weight::q_norm, layer, cache.tokens);
  turn_heads(k, Weight::k_norm, layer, cache.tokens);
  append(cache.keys[as_size(layer)], k);
  append(cache.values[as_size(layer)], product(normal, Weight::v, Weight::v_bias, layer));
  return product(attended(q, layer, cache), Weight::output, Weight::output_bias, layer);
}

ReferenceModel::Rows ReferenceModel::mlp(const Rows& normal, std::int64_t layer) const {
  const Rows up = product(normal, Weight::up, Weight::up_bias, layer);
  Rows inner = model_.gated() ? product(normal, Weight::gate, Weight::gate_bias, layer) : up;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    inner[i] = activate(model_.hidden_act, inner[i]);
    if (model_.gated()) inner[i] *= up[i];
  }
  return product(inner, Weight::down, Weight::down_bias, layer);
}

void ReferenceModel::add_layer(Rows& x, std::int64_t layer, ReferenceCache& cache) const {
  const auto post_normed = [&] { return normed(x, Weight::post_norm, Weight::post_norm_bias, layer); };
  const Rows normal = normed(x, Weight::input_norm, Weight::input_norm_bias, layer);
  const Rows attention_gives = attention(normal, layer, cache);
  const Rows beside = model_.mlp_input == MlpInput::own_norm ? post_normed() : normal;
  add_scaled(x, attention_gives, model_.residual_multiplier);
  add_scaled(x, mlp(model_.mlp_input == MlpInput::attention_sum ? post_normed() : beside, layer),
             model_.residual_multiplier);
}

ReferenceModel::Rows ReferenceModel::head(const Rows& x) const {
  const std::size_t hidden = as_size(model_.hidden_size);
  const std::size_t vocab = as_size(model_.vocab_size);
  const Rows last = model_.final_norm ? normed(x, Weight::final_norm, Weight::final_norm_bias, 0) : x;
  const Rows& matrix = *find(model_.tie_word_embeddings ? Weight::embedding : Weight::head, 0);
  const Rows* bias = find(Weight::head_bias, 0);
  Rows logits;
  for (std::size_t row = 0; row < last.size(); row += hidden) {
    for (std::size_t token = 0; token < vocab; ++token) {
      double sum = bias != nullptr ? (*bias)[token] : 0.0;
      for (std::size_t i = 0; i < hidden; ++i)
        sum += last[row + i] *
               (model_.tie_word_embeddings ? matrix[token * hidden + i] : matrix[i * vocab + token]);
      logits.push_back(model_.logit_multiplier * sum);
    }
  }
  return logits;
}

std::int64_t most_likely(std::span<const double> logits) {
  return std::ranges::max_element(logits) - logits.begin();
}

}  // namespace kbsim::models
