// The one table of config.json's keys: which are read, which change the work, and which are idle.
#include "model_known_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::models {
namespace {

using Names = std::vector<std::string_view>;

// A key that changes the model unless it has one of these values.
struct ChangingKey {
  std::string_view key;
  std::string_view what;
  Names neutral = {};
};

const Names kFalse{"false", "0"};
const Names kTrue{"true"};
const Names kOne{"1"};
constexpr std::string_view kQkNorm = "norms of queries and keys";
constexpr std::string_view kOtherWeights = "weights of another type than torch_dtype";
constexpr std::string_view kHeadParts = "heads of several parts";

const std::array kChanging{
    ChangingKey{"quantization_config", kOtherWeights},
    ChangingKey{"compression_config", kOtherWeights},
    ChangingKey{"quantization", kOtherWeights},
    ChangingKey{"quantization_bit", kOtherWeights, {"0"}},
    ChangingKey{"load_in_8bit", kOtherWeights, kFalse},
    ChangingKey{"load_in_4bit", kOtherWeights, kFalse},
    ChangingKey{"use_bfloat16", kOtherWeights, kFalse},
    ChangingKey{"bf16", kOtherWeights, kFalse},
    ChangingKey{"fp16", kOtherWeights, kFalse},
    ChangingKey{"fp32", kOtherWeights, kFalse},
    ChangingKey{"attn_logit_softcapping", "a cap of the scores"},
    ChangingKey{"attention_logit_cap", "a cap of the scores"},
    ChangingKey{"use_qk_norm", kQkNorm, kFalse},
    ChangingKey{"qk_norm", kQkNorm, kFalse},
    ChangingKey{"qk_layernorm", kQkNorm, kFalse},
    ChangingKey{"use_qk_layernorm", kQkNorm, kFalse},
    ChangingKey{"qk_layer_norms", kQkNorm, kFalse},
    ChangingKey{"clip_qkv", "clipped queries, keys and values"},
    ChangingKey{"add_cross_attention", "attention to another input", kFalse},
    ChangingKey{"cross_attention_hidden_size", "attention to another input"},
    ChangingKey{"pruned_heads", "pruned heads", {"{}", "[]"}},
    ChangingKey{"reorder_and_upcast_attn", "attention in f32", kFalse},
    ChangingKey{"fp32_residual_connection", "sums in f32", kFalse},
    ChangingKey{"residual_in_fp32", "sums in f32", kFalse},
    ChangingKey{"scale_depth", "a factor of the sums"},
    ChangingKey{"layer_norm_elementwise_affine", "norms without weights", kTrue},
    ChangingKey{"elementwise_affine", "norms without weights", kTrue},
    ChangingKey{"apply_residual_connection_post_layernorm", "sums of normalised inputs", kFalse},
    ChangingKey{"post_norm", "norms after the sums", kFalse},
    ChangingKey{"sandwich_norm", "norms after the sums", kFalse},
    ChangingKey{"expansion_ratio", "an MLP of another width", {"4"}},
    ChangingKey{"no_bias", "biases", kTrue},
    ChangingKey{"add_bias_linear", "biases", kFalse},
    ChangingKey{"pre_seq_len", "keys of a prefix"},
    ChangingKey{"prefix_projection", "keys of a prefix", kFalse},
    ChangingKey{"attn_temperature_tuning", "scores scaled by position", {"false", "0"}},
    ChangingKey{"num_nextn_predict_layers", "layers that predict further tokens", {"0"}},
    ChangingKey{"num_kv_shared_layers", "layers that share keys and values", {"0"}},
    ChangingKey{"q_lora_rank", "compressed queries"},
    ChangingKey{"qk_nope_head_dim", kHeadParts},
    ChangingKey{"qk_rope_head_dim", kHeadParts},
    ChangingKey{"qk_head_dim", kHeadParts},
    ChangingKey{"v_head_dim", kHeadParts},
    ChangingKey{"sparse_attention", "sparse attention", kFalse},
    ChangingKey{"chunk_size_feed_forward", "an MLP in chunks", {"0"}},
    ChangingKey{"mlp_type", "another MLP", {"\"default\""}},
    ChangingKey{"padded_vocab_size", "an embedding with further rows"},
    ChangingKey{"vocab_size_per_layer_input", "an embedding of each layer"},
    ChangingKey{"post_layer_norm", "a model without its final norm", kTrue},
    ChangingKey{"alibi", "positions by a slope of the scores", kFalse},
    ChangingKey{"learned_pos_emb", "another kind of positions"},
    ChangingKey{"scale_attn_by_inverse_layer_idx", "a factor of the scores for each layer", kFalse},
    ChangingKey{"final_logit_softcapping", "a cap of the logits"},
    ChangingKey{"scale_emb", "a factor of the embedding", kOne},
    ChangingKey{"dim_model_base", "a factor of the logits"},
    ChangingKey{"rotary", "another kind of positions", kTrue},
    ChangingKey{"use_mrope", "positions of several parts", kFalse},
    ChangingKey{"interleave_sliding_window", "windows of some layers", kFalse}};

const Names kRead{"hidden_size",
                  "n_embd",
                  "n_embed",
                  "d_model",
                  "num_attention_heads",
                  "n_head",
                  "n_heads",
                  "num_heads",
                  "num_key_value_heads",
                  "num_kv_heads",
                  "n_head_kv",
                  "multi_query_group_num",
                  "multi_query_attention",
                  "multi_query",
                  "new_decoder_architecture",
                  "num_ln_in_parallel_attn",
                  "use_parallel_residual",
                  "parallel_attn",
                  "head_dim",
                  "kv_channels",
                  "intermediate_size",
                  "n_inner",
                  "ffn_dim",
                  "ffn_hidden_size",
                  "hidden_act",
                  "hidden_activation",
                  "activation_function",
                  "mlp_bias",
                  "enable_bias",
                  "use_bias",
                  "bias",
                  "attention_bias",
                  "add_qkv_bias",
                  "use_qkv_bias",
                  "attention_out_bias",
                  "attention_output_bias",
                  "norm_eps",
                  "norm_epsilon",
                  "layernorm_epsilon",
                  "rms_norm_eps",
                  "layer_norm_epsilon",
                  "layer_norm_eps",
                  "num_hidden_layers",
                  "n_layer",
                  "n_layers",
                  "num_layers",
                  "torch_dtype",
                  "dtype",
                  "model_type",
                  "sliding_window",
                  "attention_chunk_size",
                  "window_size",
                  "use_sliding_window",
                  "max_window_layers",
                  "layer_types",
                  "layers_block_type",
                  "block_types",
                  "hybrid_override_pattern",
                  "mamba_d_state",
                  "ssm_state_size",
                  "cross_attention_layers",
                  "block_configs",
                  "kv_lora_rank",
                  "is_encoder_decoder",
                  "do_layer_norm_before",
                  "norm_type",
                  "rmsnorm",
                  "attention_types",
                  "attention_layers",
                  "sliding_window_pattern",
                  "_sliding_window_pattern",
                  "residual_multiplier",
                  "vocab_size",
                  "tie_word_embeddings",
                  "word_embed_proj_dim",
                  "_remove_final_layer_norm",
                  "max_position_embeddings",
                  "n_positions",
                  "n_ctx",
                  "partial_rotary_factor",
                  "scale_attn_weights",
                  "query_pre_attn_scalar",
                  "attention_multiplier",
                  "embedding_multiplier",
                  "logits_scaling",
                  "logit_scale",
                  "rope_theta",
                  "rope_scaling",
                  "rope_parameters",
                  "rotary_emb_base",
                  "rotary_pct",
                  "rope_pct",
                  "rotary_dim",
                  "no_rope_layers",
                  "no_rope_layer_interval"};

// Idle: names, tokens, training, generation, and limits of positions.
const Names kIdle{"architectures",
                  "auto_map",
                  "transformers_version",
                  "_name_or_path",
                  "name_or_path",
                  "name",
                  "model_name",
                  "_commit_hash",
                  "_from_model_config",
                  "z_loss_weight",
                  "tie_encoder_decoder",
                  "use_cache",
                  "cache_implementation",
                  "use_flash_attn",
                  "use_flash_attention",
                  "_flash_attn_2_enabled",
                  "_attn_implementation",
                  "attn_implementation",
                  "_attn_implementation_autoset",
                  "max_sequence_length",
                  "max_seq_len",
                  "max_seq_length",
                  "seq_length",
                  "model_max_length",
                  "original_max_position_embeddings",
                  "initializer_range",
                  "initializer_factor",
                  "init_config",
                  "init_device",
                  "init_std",
                  "gradient_checkpointing",
                  "pretraining_tp",
                  "slow_but_exact",
                  "scale_attention_softmax_in_fp32",
                  "attention_softmax_in_fp32",
                  "apply_query_key_layer_scaling",
                  "bias_dropout_fusion",
                  "is_decoder",
                  "is_composition",
                  "interleaved_qkv",
                  "inference_runner",
                  "validate_runner_input",
                  "pad_key_length",
                  "max_batch_size",
                  "verbose",
                  "emb_pdrop",
                  "task_specific_params",
                  "finetuning_task",
                  "problem_type",
                  "id2label",
                  "label2id",
                  "num_labels",
                  "prefix",
                  "output_attentions",
                  "output_hidden_states",
                  "output_scores",
                  "output_router_logits",
                  "return_dict",
                  "return_dict_in_generate",
                  "torchscript",
                  "use_return_dict",
                  "tokenizer_class",
                  "suppress_tokens",
                  "begin_suppress_tokens",
                  "max_length",
                  "min_length",
                  "max_new_tokens",
                  "do_sample",
                  "early_stopping",
                  "num_beams",
                  "num_beam_groups",
                  "diversity_penalty",
                  "temperature",
                  "top_k",
                  "top_p",
                  "typical_p",
                  "repetition_penalty",
                  "length_penalty",
                  "no_repeat_ngram_size",
                  "encoder_no_repeat_ngram_size",
                  "bad_words_ids",
                  "num_return_sequences",
                  "remove_invalid_values",
                  "exponential_decay_length_penalty",
                  "router_aux_loss_coef",
                  "tf_legacy_loss",
                  "generation_config"};
const Names kIdleEndings{"_token_id", "_token_ids", "_token_index"};
const Names kIdleParts{"drop", "expert", "summary_", "loss"};
// Keys beside the text part of a model of several parts.
const Names kOfOtherParts{"vision",       "image",   "video",       "audio",      "projector",
                          "mm_",          "speech",  "text_config", "llm_config", "language_config",
                          "select_layer", "spatial", "boi_",        "eoi_"};

bool is_among(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

bool has_part(std::string_view name, const Names& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool is_neutral(const boost::json::value& value, const Names& neutral) {
  const std::string text = boost::json::serialize(value);
  return value.is_null() || std::ranges::any_of(neutral, [&](std::string_view one) {
           return text == one || (value.is_double() && fmt::format("{}", value.get_double()) == one);
         });
}

bool is_idle(std::string_view key) {
  return is_among(key, kRead) || is_among(key, kIdle) || has_part(key, kIdleParts) ||
         std::ranges::any_of(kIdleEndings, [&](std::string_view end) { return key.ends_with(end); });
}

void require_neutral(const ModelKeys& keys, const ChangingKey& change, const boost::json::value& value) {
  if (!is_neutral(value, change.neutral))
    throw Unsupported{
        fmt::format("{}: {} ({}) isn't simulated", keys.place(change.key), change.what, change.key)};
}

[[noreturn]] void refuse_unknown(const ModelKeys& keys, std::string_view key) {
  throw Unsupported{
      fmt::format("{}: key '{}' isn't known, and may change the model: take it out if it doesn't{}",
                  keys.place(key), harmless(std::string{key}), near_hint(key, kRead))};
}

void require_known(const ModelKeys& keys, std::string_view key, const boost::json::value& value,
                   bool beside) {
  const auto change = std::ranges::find(kChanging, key, &ChangingKey::key);
  if (change != kChanging.end()) return require_neutral(keys, *change, value);
  if (!value.is_null() && !(beside && has_part(key, kOfOtherParts)) && !is_idle(key))
    refuse_unknown(keys, key);
}

}  // namespace

bool is_known_key(std::string_view key) {
  return std::ranges::find(kChanging, key, &ChangingKey::key) != kChanging.end() || is_idle(key);
}

void require_known_keys(const ModelKeys& keys) {
  const bool several_parts = keys.all().contains("vision_config") || keys.all().contains("audio_config");
  for (const auto& member : keys.own()) require_known(keys, member.key(), member.value(), several_parts);
  if (&keys.own() == &keys.all()) return;
  for (const auto& member : keys.all()) require_known(keys, member.key(), member.value(), true);
}

}  // namespace kbsim::models
