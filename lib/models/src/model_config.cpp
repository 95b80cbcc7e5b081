#include "kbsim/models/model_config.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "model_family.hpp"
#include "model_keys.hpp"
#include "model_known_keys.hpp"
#include "model_layers.hpp"
#include "model_surroundings.hpp"
#include "model_type.hpp"

namespace kbsim::models {
namespace {

constexpr std::array<std::pair<std::string_view, HiddenAct>, 7> kActs{
    {{"relu", HiddenAct::relu},
     {"silu", HiddenAct::silu},
     {"swish", HiddenAct::silu},
     {"gelu", HiddenAct::gelu},
     {"gelu_new", HiddenAct::gelu_tanh},
     {"gelu_fast", HiddenAct::gelu_tanh},
     {"gelu_pytorch_tanh", HiddenAct::gelu_tanh}}};
constexpr std::array<std::pair<std::string_view, DType>, 6> kTorchDtypes{{{"float16", f16},
                                                                          {"bfloat16", bf16},
                                                                          {"float32", f32},
                                                                          {"torch.float16", f16},
                                                                          {"torch.bfloat16", bf16},
                                                                          {"torch.float32", f32}}};
const KeyNames kHidden{"hidden_size", "n_embd", "n_embed", "d_model"};
const KeyNames kHeads{"num_attention_heads", "n_head", "n_heads", "num_heads"};
const KeyNames kKvHeads{"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"};
const KeyNames kSideBySide{"use_parallel_residual", "parallel_attn"};

// In Falcon's new architecture the file states the number of key heads, and each half has a norm.
bool has_groups_of_heads(const ModelKeys& keys) { return keys.truth("new_decoder_architecture"); }

std::int64_t kv_heads_of(const ModelKeys& keys, const ModelFamily* family, std::int64_t heads) {
  const bool shared = keys.truth("multi_query", family != nullptr && family->shared_kv);
  if (!keys.truth("multi_query_attention", true)) return heads;
  return shared && !has_groups_of_heads(keys) ? 1 : keys.size(kKvHeads, heads);
}

MlpInput mlp_input_of(const ModelKeys& keys, const ModelFamily* family) {
  const std::string_view key = keys.called(kSideBySide);
  if (!keys.truth(key, family != nullptr && family->side_by_side)) return MlpInput::attention_sum;
  if (has_groups_of_heads(keys) && keys.size("num_ln_in_parallel_attn", 2) == 2) return MlpInput::own_norm;
  return family != nullptr ? family->beside : MlpInput::own_norm;
}

void read_heads(const ModelKeys& keys, const ModelFamily* family, ModelConfig& model) {
  for (const KeyNames& names : {kHidden, kHeads, KeyNames{"head_dim", "kv_channels"}})
    keys.require_one_value(names);
  const std::string_view hidden = keys.called(kHidden);
  const std::string_view heads = keys.called(kHeads);
  model.hidden_size = keys.size(hidden);
  model.num_attention_heads = keys.size(heads);
  const std::string_view head_dim = keys.called({"head_dim", "kv_channels"});
  model.num_key_value_heads = kv_heads_of(keys, family, model.num_attention_heads);
  if (!keys.has(head_dim) && model.hidden_size % model.num_attention_heads != 0)
    throw UsageError{fmt::format("{}: {} ({}) must be divisible by {} ({}), or head_dim be given",
                                 keys.place(hidden), hidden, model.hidden_size, heads,
                                 model.num_attention_heads)};
  model.head_dim = keys.has(head_dim) ? keys.size(head_dim) : model.hidden_size / model.num_attention_heads;
  if (model.num_attention_heads % model.num_key_value_heads != 0)
    throw UsageError{fmt::format("{}: {} ({}) must be divisible by num_key_value_heads ({})",
                                 keys.place(heads), heads, model.num_attention_heads,
                                 model.num_key_value_heads)};
}

void read_mlp(const ModelKeys& keys, const ModelFamily* family, ModelConfig& model) {
  model.intermediate_size = keys.size(KeyNames{"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"},
                                      4 * model.hidden_size);
  model.hidden_act = keys.one_of(keys.called({"hidden_activation", "hidden_act", "activation_function"}),
                                 kActs, family != nullptr ? family->act : HiddenAct::silu);
  if (family != nullptr) model.gated_mlp = family->gated;
  const bool standard = family != nullptr && family->mlp_bias;
  KeyNames names{"mlp_bias", "enable_bias", "use_bias"};
  if (family != nullptr && !family->gated)
    names.emplace_back("bias");  // Falcon's; in other models only attention's
  model.mlp_bias = keys.truth(keys.called(names), standard);
}

// Whether its norms are RMS norms, where a key says so.
std::optional<bool> says_rms_norm(const ModelKeys& keys) {
  if (keys.has("rmsnorm")) return keys.truth("rmsnorm");
  if (!keys.has("norm_type")) return std::nullopt;
  constexpr auto kNorms =
      std::to_array<std::pair<std::string_view, bool>>({{"rmsnorm", true},
                                                        {"rms_norm", true},
                                                        {"low_precision_rmsnorm", true},
                                                        {"layernorm", false},
                                                        {"layer_norm", false},
                                                        {"low_precision_layernorm", false}});
  return keys.one_of("norm_type", kNorms, false);
}

// A file without a known family says its kind of norm by a key, or by the name of its eps.
void read_norm(const ModelKeys& keys, const ModelFamily* family, ModelConfig& model) {
  const bool says_layer = keys.has("layer_norm_eps") || keys.has("layer_norm_epsilon");
  const std::optional<bool> says_rms = says_rms_norm(keys);
  const bool standard = family != nullptr ? family->rms_norm : keys.has("rms_norm_eps") || !says_layer;
  if (family != nullptr && says_rms.value_or(standard) != standard)
    throw Unsupported{fmt::format("{}: another norm than that of {} isn't simulated",
                                  keys.place(keys.called({"rmsnorm", "norm_type"})), family->model_type)};
  model.rms_norm = says_rms.value_or(standard);
  const KeyNames eps{"norm_eps",     "norm_epsilon",       "layernorm_epsilon",
                     "rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps"};
  keys.require_one_value(eps);
  if (keys.has(keys.called(eps))) model.norm_eps = keys.positive(keys.called(eps));
}

void read_attention_bias(const ModelKeys& keys, const ModelFamily* family, ModelConfig& model) {
  const std::string_view all = keys.called({"attention_bias", "bias", "enable_bias", "use_bias"});
  const std::string_view inputs_alone = keys.called({"add_qkv_bias", "use_qkv_bias"});
  const bool standard = family != nullptr && family->attention_bias;
  model.attention_bias = keys.truth(keys.has(inputs_alone) ? inputs_alone : all, standard);
  if (keys.has(inputs_alone) || (family != nullptr && !keys.has(all)))
    model.output_bias = family != nullptr && family->output_bias;
  const std::string_view output = keys.called({"attention_out_bias", "attention_output_bias"});
  if (keys.has(output)) model.output_bias = keys.truth(output);
}

}  // namespace

ModelConfig read_model_config(const std::string& file) {
  const ModelKeys keys{file};
  require_dense_decoder(keys);
  const ModelFamily* family = family_in(keys);
  ModelConfig model;
  model.family = family != nullptr ? std::string{family->model_type} : std::string{kAssumedFamily};
  read_heads(keys, family, model);
  read_mlp(keys, family, model);
  read_norm(keys, family, model);
  read_attention_bias(keys, family, model);
  model.mlp_input = mlp_input_of(keys, family);
  model.num_hidden_layers = keys.size(KeyNames{"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
  model.window = attention_window(keys, model.num_hidden_layers);
  keys.require_one_value({"torch_dtype", "dtype"});
  model.dtype_assumed = !keys.has(keys.called({"torch_dtype", "dtype"}));
  model.torch_dtype = keys.one_of(keys.called({"torch_dtype", "dtype"}), kTorchDtypes, f16);
  if (family == nullptr) require_like_llama(keys, model);
  read_surroundings(keys, model);
  require_known_keys(keys);
  return model;
}

}  // namespace kbsim::models
