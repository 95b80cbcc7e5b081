// Embedding, positions, norms, multipliers and head of a whole model.
#include "model_surroundings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "model_details.hpp"
#include "model_family.hpp"
#include "model_layer_kinds.hpp"
#include "model_rope.hpp"

namespace kbsim::models {
namespace {

const KeyNames kPositions{"n_positions", "max_position_embeddings", "n_ctx"};

// 0 if the file doesn't say it.
std::int64_t max_positions(const ModelKeys& keys) {
  const std::string_view key = keys.called(kPositions);
  if (!keys.has(key)) return 0;
  const std::int64_t most = keys.is_list(key) ? 0 : keys.count(key);
  if (most < 1)
    throw UsageError{fmt::format("{}: {} is {}, expected a whole number from 1 on", keys.place(key), key,
                                 keys.is_list(key) ? "a list" : std::to_string(most))};
  return most;
}

void read_positions(const ModelKeys& keys, const ModelDetails& details, ModelConfig& model) {
  keys.require_one_value(kPositions);
  model.max_positions = max_positions(keys);
  model.positions = details.positions;
  if (model.positions == Positions::rotary) model.rope = read_rope(keys, details, model.head_dim);
  if (model.positions != Positions::learned) return;
  model.first_position_row = details.first_position_row;
  model.position_rows = keys.size(keys.called(kPositions)) + details.first_position_row;
}

double above_zero(const ModelKeys& keys, std::string_view key, double standard) {
  if (!keys.has(key)) return standard;
  const double value = keys.positive(key);
  if (value == 0.0) throw UsageError{fmt::format("{}: {} is 0, expected more", keys.place(key), key)};
  return value;
}

void read_attention_scale(const ModelKeys& keys, const ModelDetails& details, ModelConfig& model) {
  model.attention_scale = details.attention_scale;
  if (!keys.truth("scale_attn_weights", true)) model.attention_scale = 1.0;
  if (keys.has("query_pre_attn_scalar"))
    model.attention_scale = 1.0 / std::sqrt(above_zero(keys, "query_pre_attn_scalar", 1.0));
  if (keys.has("attention_multiplier")) model.attention_scale = above_zero(keys, "attention_multiplier", 1.0);
}

void read_multipliers(const ModelKeys& keys, const ModelDetails& details, ModelConfig& model) {
  const double root = std::sqrt(static_cast<double>(model.hidden_size));
  model.embedding_multiplier =
      above_zero(keys, "embedding_multiplier", details.embedding_by_root ? root : 1.0);
  model.residual_multiplier = above_zero(keys, "residual_multiplier", 1.0);
  model.logit_multiplier =
      above_zero(keys, "logit_scale", details.logit_multiplier) / above_zero(keys, "logits_scaling", 1.0);
}

void read_embedding_and_head(const ModelKeys& keys, const ModelDetails& details, ModelConfig& model) {
  model.vocab_size = keys.size("vocab_size");
  model.tie_word_embeddings = keys.truth("tie_word_embeddings", details.tied);
  model.head_bias = details.head_bias;
  model.final_norm = !keys.truth("_remove_final_layer_norm");
  if (keys.size("word_embed_proj_dim", model.hidden_size) != model.hidden_size)
    throw Unsupported{fmt::format("{}: an embedding of another width (word_embed_proj_dim) isn't simulated",
                                  keys.place("word_embed_proj_dim"))};
}

}  // namespace

void read_surroundings(const ModelKeys& keys, ModelConfig& model) {
  const ModelFamily* family = family_of(model.family);
  const ModelDetails& details = details_of(family != nullptr ? model.family : "llama");
  model.norm_weight = details.norm_weight;
  model.norm_bias = details.norm_bias;
  model.norm_plus_one = details.norm_plus_one;
  model.qk_norm = family != nullptr && family->qk_norm;
  read_embedding_and_head(keys, details, model);
  read_positions(keys, details, model);
  read_attention_scale(keys, details, model);
  read_multipliers(keys, details, model);
  model.layer_kinds = layer_kinds(keys, model);
}

}  // namespace kbsim::models
