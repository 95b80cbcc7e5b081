// The kinds of a model's layers, and the number of keys that they see.
#include "model_layers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::models {
namespace {

constexpr auto kExpertKeys = std::to_array<std::string_view>(
    {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"});
constexpr auto kKindsOfLayers =
    std::to_array<std::string_view>({"layer_types", "layers_block_type", "block_types"});
constexpr auto kFullAttention = std::to_array<std::string_view>({"attention", "full_attention", "global"});
// Attention that sees a limited number of keys: the last ones, or those of its own stretch.
constexpr auto kWindowedAttention =
    std::to_array<std::string_view>({"sliding_attention", "chunked_attention", "local"});
const KeyNames kWindows{"sliding_window", "attention_chunk_size"};

bool is_among(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

bool has_part(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

[[noreturn]] void refuse_layer(const std::string& place, std::string_view why) {
  throw Unsupported{fmt::format("{}: {}; dense decoder layers of one kind are simulated", place, why)};
}

// num_local_experts, n_routed_experts, moe_num_primary_experts, ...
void require_no_experts(const ModelKeys& keys) {
  std::vector<std::string_view> names = keys.counts_with("experts");
  std::erase_if(names,
                [](std::string_view name) { return has_part(name, "per_tok") || has_part(name, "shared"); });
  for (const std::string_view known : kExpertKeys) names.push_back(known);  // whatever their type
  for (const std::string_view experts : names) {
    if (const std::int64_t many = keys.count(experts); many > 1)
      refuse_layer(keys.place(experts),
                   fmt::format("a mixture of {} experts ({})", many, harmless(std::string{experts})));
  }
  if (keys.has_inner("ffn_config", "moe_num_experts"))
    refuse_layer(keys.place("ffn_config"), "a mixture of experts (ffn_config.moe_num_experts)");
}

void require_one_kind(const ModelKeys& keys) {
  bool listed = false;
  for (const std::string_view kinds : kKindsOfLayers) {
    for (const std::string& kind : keys.texts(kinds)) {
      listed = true;
      if (!is_among(kind, kFullAttention) && !is_among(kind, kWindowedAttention))
        refuse_layer(keys.place(kinds), fmt::format("a layer of kind {} ({})", harmless(kind), kinds));
    }
  }
  for (const std::string_view kinds : {"attention_types", "attention_layers"}) {
    for (const std::string& kind : keys.texts_within(kinds)) {
      if (!is_among(kind, kFullAttention) && !is_among(kind, kWindowedAttention))
        refuse_layer(keys.place(kinds), fmt::format("a layer of kind {} ({})", harmless(kind), kinds));
    }
  }
  for (const std::string_view pattern : {"hybrid_override_pattern", "mamba_d_state", "ssm_state_size"}) {
    if (!listed && keys.has(pattern))
      refuse_layer(keys.place(pattern), fmt::format("layers that aren't attention ({})", pattern));
  }
  if (keys.elements("cross_attention_layers") > 0)
    refuse_layer(keys.place("cross_attention_layers"),
                 "layers that attend to another input (cross_attention_layers)");
  if (keys.elements("block_configs") > 0)
    refuse_layer(keys.place("block_configs"), "each layer is another one (block_configs)");
}

// In Qwen2 and Qwen3, windows are off unless the file says otherwise, and the first layers have none.
bool windows_are_used(const ModelKeys& keys, std::int64_t num_hidden_layers) {
  const bool standard = !keys.text("model_type").starts_with("qwen");
  return keys.truth("use_sliding_window", standard) &&
         (!keys.has("max_window_layers") || keys.count("max_window_layers") < num_hidden_layers);
}

}  // namespace

void require_dense_decoder(const ModelKeys& keys) {
  require_no_experts(keys);
  require_one_kind(keys);
  if (keys.count("kv_lora_rank") > 0)
    refuse_layer(keys.place("kv_lora_rank"), "keys and values are compressed (kv_lora_rank)");
  if (keys.truth("is_encoder_decoder"))
    refuse_layer(keys.place("is_encoder_decoder"), "an encoder beside the decoder (is_encoder_decoder)");
  if (!keys.truth("do_layer_norm_before", true))
    refuse_layer(keys.place("do_layer_norm_before"), "norms follow the sums (do_layer_norm_before)");
}

std::optional<AttentionWindow> attention_window(const ModelKeys& keys, std::int64_t num_hidden_layers) {
  if (keys.text("model_type") == "gpt_neo")
    return AttentionWindow{keys.size("window_size", 256), "window_size"};
  std::vector<std::string> kinds;
  for (const std::string_view of : kKindsOfLayers)
    std::ranges::move(keys.texts(of), std::back_inserter(kinds));
  if (!kinds.empty()) {
    const bool windowed =
        std::ranges::any_of(kinds, [](const auto& kind) { return is_among(kind, kWindowedAttention); });
    if (!windowed) return std::nullopt;
  } else if (!windows_are_used(keys, num_hidden_layers)) {
    return std::nullopt;
  }
  std::optional<AttentionWindow> narrowest;
  for (const std::string_view key : kWindows) {
    const std::int64_t width = keys.count(key);
    if (width > 0 && (!narrowest || width < narrowest->keys))
      narrowest = {.keys = width, .key = std::string{key}};
  }
  if (!narrowest && !kinds.empty())
    throw UsageError{
        fmt::format("{}: layers have windows of attention, and sliding_window is missing",
                    keys.place(keys.called({"layer_types", "layers_block_type", "block_types"})))};
  return narrowest;
}

}  // namespace kbsim::models
