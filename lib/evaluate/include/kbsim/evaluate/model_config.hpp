#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kbsim/base/dtype.hpp"

namespace kbsim::evaluate {

enum class HiddenAct { relu, silu, gelu, gelu_tanh };

/// Input of the MLP: the normalised sum after attention; or, beside attention, the layer's input by the MLP's
/// own norm or by attention's.
enum class MlpInput { attention_sum, own_norm, attention_norm };

/// In at least one layer, a row of attention sees at most this number of keys.
struct AttentionWindow {
  std::int64_t keys = 0;
  std::string key;  // its name in config.json
};

/// The family of a config.json without model_type and architectures: LLaMA's layer, if its keys agree.
constexpr std::string_view kAssumedFamily = "LLaMA (assumed, no model_type)";

/// A decoder layer, by the keys that model hubs have in config.json.
struct ModelConfig {
  std::string family;  // model_type; "" of the small model
  std::int64_t hidden_size = 128;
  std::int64_t num_attention_heads = 8;
  std::int64_t num_key_value_heads = 4;
  std::int64_t head_dim = 16;
  std::int64_t intermediate_size = 256;
  std::int64_t num_hidden_layers = 1;
  HiddenAct hidden_act = HiddenAct::silu;
  std::optional<bool> gated_mlp;  // down(act(gate) * up); not given: with silu, as LLaMA has it
  DType torch_dtype = f16;
  bool rms_norm = true;  // else a layer norm
  double norm_eps = 1e-6;
  bool attention_bias = false;
  std::optional<bool> output_bias;  // of attention; not given: as attention_bias
  bool mlp_bias = false;
  MlpInput mlp_input = MlpInput::attention_sum;
  std::optional<AttentionWindow> window;  // isn't simulated: a run has at most this number of keys

  [[nodiscard]] bool gated() const { return gated_mlp.value_or(hidden_act == HiddenAct::silu); }
  [[nodiscard]] bool has_output_bias() const { return output_bias.value_or(attention_bias); }
};

/// Missing keys follow from others as in those models: num_key_value_heads from the heads of queries,
/// head_dim from hidden_size, the norm from its eps, activation, gate and biases from model_type. Keys of all
/// families count (n_embd, ...); in a model of several parts, those of text_config. Unsupported for an
/// unknown model_type or key, unless a table lists it as idle, and for layers that aren't dense decoders'.
/// UsageError with place, key and expectation for a value of another type.
[[nodiscard]] ModelConfig read_model_config(const std::string& file);

}  // namespace kbsim::evaluate
