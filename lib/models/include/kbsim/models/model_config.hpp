#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/models/rope.hpp"

namespace kbsim::models {

enum class HiddenAct { relu, silu, gelu, gelu_tanh };

/// Input of the MLP: the normalised sum after attention; or, beside attention, the layer's input by the MLP's
/// own norm or by attention's.
enum class MlpInput { attention_sum, own_norm, attention_norm };

/// In at least one layer, a row of attention sees at most this number of keys.
struct AttentionWindow {
  std::int64_t keys = 0;
  std::string key;  // its name in config.json
};

/// Differences between the layers of a model.
struct LayerKind {
  std::int64_t window = 0;  // a row sees this number of keys at most, the last one its own; 0: all before it
  bool rotary = true;       // queries and keys turn, in a model with rotary positions
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};

/// The family of a config.json without model_type and architectures: LLaMA's layer, if its keys agree.
constexpr std::string_view kAssumedFamily = "LLaMA (assumed, no model_type)";

/// After the dtype of a config.json without torch_dtype and dtype.
constexpr std::string_view kAssumedDtype = " (assumed, no torch_dtype)";

/// A dense decoder, by the keys that model hubs have in config.json.
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
  bool dtype_assumed = false;  // neither the file nor an option says it
  bool rms_norm = true;        // else a layer norm
  double norm_eps = 1e-6;
  bool attention_bias = false;
  std::optional<bool> output_bias;  // of attention; not given: as attention_bias
  bool mlp_bias = false;
  MlpInput mlp_input = MlpInput::attention_sum;
  std::optional<AttentionWindow> window;  // the narrowest of all layers

  std::int64_t vocab_size = 512;
  bool tie_word_embeddings = false;  // the head's matrix is the embedding
  bool head_bias = false;
  Positions positions = Positions::rotary;
  Rope rope;
  std::int64_t position_rows = 0;       // of the table of learned positions
  std::int64_t first_position_row = 0;  // the row of the first token
  std::int64_t max_positions = 0;       // of a sequence; 0: not given
  std::vector<LayerKind> layer_kinds;   // by layer; empty: all layers are a LayerKind{}
  bool norm_weight = true;
  bool norm_bias = true;       // of layer norms; RMS norms have none
  bool norm_plus_one = false;  // RMS norms multiply by 1 + weight (Gemma)
  bool qk_norm = false;        // RMS norms of each head of queries and keys, before they turn
  bool final_norm = true;
  std::optional<double> attention_scale;  // of scores; not given: 1 / sqrt(head_dim)
  double embedding_multiplier = 1.0;
  double residual_multiplier = 1.0;  // of each sum's second operand
  double logit_multiplier = 1.0;

  [[nodiscard]] bool gated() const { return gated_mlp.value_or(hidden_act == HiddenAct::silu); }
  [[nodiscard]] bool has_output_bias() const { return output_bias.value_or(attention_bias); }
  [[nodiscard]] bool has_norm_bias() const { return norm_bias && !rms_norm; }
  [[nodiscard]] bool has_post_norm() const { return mlp_input != MlpInput::attention_norm; }
  [[nodiscard]] std::int64_t q_width() const { return num_attention_heads * head_dim; }
  [[nodiscard]] std::int64_t kv_width() const { return num_key_value_heads * head_dim; }
  [[nodiscard]] std::int64_t rotary_dims() const { return rope.dims.value_or(head_dim); }
  [[nodiscard]] LayerKind layer_kind(std::int64_t layer) const {
    return layer_kinds.empty() ? LayerKind{} : layer_kinds.at(static_cast<std::size_t>(layer));
  }
};

/// A whole model. Missing keys follow from others as in those models: num_key_value_heads from the heads of
/// queries, head_dim from hidden_size, the rest from model_type. Keys of all families count (n_embd, ...); in
/// a model of several parts, those of text_config. Unsupported for an unknown model_type or key, unless a
/// table lists it as idle, and for what isn't simulated. UsageError for a value of another type.
[[nodiscard]] ModelConfig read_model_config(const std::string& file);

}  // namespace kbsim::models
