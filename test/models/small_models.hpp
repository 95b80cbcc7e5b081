// Small dense models with drawn weights, for tests of the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_reference.hpp"

namespace kbsim::models::test {

/// Reproducible: each element has its own draw in [-1, 1), whatever the order of reading.
inline double drawn(Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
  const auto stream = static_cast<std::uint64_t>(row * 1000 + column);
  return 2.0 * Random{static_cast<std::uint64_t>(weight) * 100 + static_cast<std::uint64_t>(layer), stream}
                   .uniform() -
         1.0;
}

/// LLaMA's parts: RMS norms, a gate, grouped heads, rotary positions.
inline ModelConfig small_llama() {
  ModelConfig model;
  model.hidden_size = 12;
  model.num_attention_heads = 4;
  model.num_key_value_heads = 2;
  model.head_dim = 6;
  model.intermediate_size = 10;
  model.num_hidden_layers = 2;
  model.vocab_size = 17;
  model.norm_eps = 1e-5;
  return model;
}

/// GPT-2's parts: layer norms, biases, no gate, learned positions, a tied head.
inline ModelConfig small_gpt2() {
  ModelConfig model = small_llama();
  model.num_key_value_heads = 4;
  model.head_dim = 3;
  model.hidden_act = HiddenAct::gelu_tanh;
  model.gated_mlp = false;
  model.rms_norm = false;
  model.attention_bias = true;
  model.mlp_bias = true;
  model.tie_word_embeddings = true;
  model.positions = Positions::learned;
  model.position_rows = 20;
  return model;
}

/// One model for each part that a dense model may have.
inline std::vector<ModelConfig> small_models() {
  std::vector<ModelConfig> all{small_llama(), small_gpt2()};
  ModelConfig qwen3 = small_llama();
  qwen3.qk_norm = true;
  all.push_back(qwen3);
  ModelConfig mistral = small_llama();
  mistral.layer_kinds = {{.window = 3}, {.window = 0}};
  all.push_back(mistral);
  ModelConfig smollm = small_llama();
  smollm.layer_kinds = {{.rotary = true}, {.rotary = false}};
  all.push_back(smollm);
  ModelConfig phi = small_gpt2();
  phi.positions = Positions::rotary;
  phi.rope.dims = 2;
  phi.mlp_input = MlpInput::attention_norm;
  phi.tie_word_embeddings = false;
  phi.head_bias = true;
  all.push_back(phi);
  ModelConfig neox = phi;
  neox.mlp_input = MlpInput::own_norm;
  neox.rope.interleaved = true;
  all.push_back(neox);
  ModelConfig falcon = small_llama();
  falcon.num_key_value_heads = 1;
  falcon.hidden_act = HiddenAct::gelu;
  all.push_back(falcon);
  ModelConfig odd = small_gpt2();
  odd.hidden_size = 13;
  odd.num_attention_heads = 3;
  odd.num_key_value_heads = 1;
  odd.head_dim = 5;
  odd.intermediate_size = 9;
  odd.vocab_size = 19;
  all.push_back(odd);
  return all;
}

inline std::vector<double> prefill(const ModelConfig& model, const std::vector<std::int64_t>& tokens,
                                   const WeightFunction& weights = drawn) {
  const ReferenceModel reference{model, weights};
  ReferenceCache cache = reference.empty_cache();
  return reference.logits(tokens, cache);
}

inline std::vector<double> last_row(const ModelConfig& model, const std::vector<double>& logits) {
  return {logits.end() - static_cast<std::ptrdiff_t>(model.vocab_size), logits.end()};
}

inline double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return 1e300;
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace kbsim::models::test
