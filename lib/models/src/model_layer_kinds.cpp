// Windows and positions of each layer.
#include "model_layer_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::models {
namespace {

using Kinds = std::vector<std::string>;

constexpr std::int64_t kSmolRotaryLayers = 4;  // SmolLM3's no_rope_layer_interval

bool is_windowed(const std::string& kind) { return kind == "sliding_attention" || kind == "local"; }

void require_length(const ModelKeys& keys, std::string_view key, std::size_t found, std::int64_t layers) {
  if (found != static_cast<std::size_t>(layers))
    throw UsageError{
        fmt::format("{}: {} has {} elements, and the model {} layers", keys.place(key), key, found, layers)};
}

// GPT-Neo: [[["global", "local"], 12]] is 12 times both.
Kinds kinds_of_gpt_neo(const ModelKeys& keys, std::int64_t layers) {
  Kinds listed = keys.texts("attention_layers");
  if (!listed.empty()) require_length(keys, "attention_layers", listed.size(), layers);
  if (!listed.empty()) return listed;
  if (keys.elements("attention_types") > 1)
    throw Unsupported{fmt::format("{}: attention_types of several patterns aren't simulated",
                                  keys.place("attention_types"))};
  listed = keys.texts_within("attention_types");
  return listed.empty() ? Kinds{"global", "local"} : listed;
}

// Kinds of the layers' kinds, as a list that is repeated; none if the file has no such names.
Kinds named_kinds(const ModelKeys& keys, const ModelConfig& model) {
  if (model.family == "gpt_neo") return kinds_of_gpt_neo(keys, model.num_hidden_layers);
  for (const std::string_view key : {"layer_types", "layers_block_type", "block_types"}) {
    if (!keys.has(key)) continue;
    const Kinds listed = keys.texts(key);
    require_length(keys, key, listed.size(), model.num_hidden_layers);
    return listed;
  }
  return {};
}

// Without names: of n layers each, the last one has no window.
std::int64_t pattern_of(const ModelKeys& keys) {
  const std::string_view key = keys.called({"sliding_window_pattern", "_sliding_window_pattern"});
  return keys.has(key) ? keys.size(key) : 0;
}

// Qwen's layers from max_window_layers on, and other families' all.
bool has_window(const ModelKeys& keys, const Kinds& kinds, std::int64_t layer) {
  if (!kinds.empty()) return is_windowed(kinds[static_cast<std::size_t>(layer) % kinds.size()]);
  if (const std::int64_t pattern = pattern_of(keys); pattern > 0) return (layer + 1) % pattern != 0;
  return layer >= (keys.has("max_window_layers") ? keys.count("max_window_layers") : 0);
}

// SmolLM3: 1 in no_rope_layers is a layer whose queries and keys turn.
std::vector<std::int64_t> rotary_flags(const ModelKeys& keys, const ModelConfig& model) {
  std::vector<std::int64_t> listed = keys.counts("no_rope_layers");
  if (!listed.empty()) require_length(keys, "no_rope_layers", listed.size(), model.num_hidden_layers);
  if (!listed.empty() || (model.family != "smollm3" && !keys.has("no_rope_layer_interval"))) return listed;
  const std::int64_t interval = keys.size("no_rope_layer_interval", kSmolRotaryLayers);
  for (std::int64_t layer = 1; layer <= model.num_hidden_layers; ++layer)
    listed.push_back(layer % interval != 0 ? 1 : 0);
  return listed;
}

void require_sliding(const ModelKeys& keys, const AttentionWindow& window, const Kinds& kinds) {
  if (window.key == "attention_chunk_size" || std::ranges::count(kinds, "chunked_attention") > 0)
    throw Unsupported{
        fmt::format("{}: attention in chunks ({}) isn't simulated", keys.place(window.key), window.key)};
  if (keys.is_list(window.key))
    throw Unsupported{
        fmt::format("{}: a list of windows ({}) isn't simulated", keys.place(window.key), window.key)};
}

}  // namespace

std::vector<LayerKind> layer_kinds(const ModelKeys& keys, const ModelConfig& model) {
  const Kinds kinds = named_kinds(keys, model);
  const std::vector<std::int64_t> turning = rotary_flags(keys, model);
  if (model.window) require_sliding(keys, *model.window, kinds);
  std::vector<LayerKind> all(static_cast<std::size_t>(model.num_hidden_layers));
  for (std::size_t layer = 0; layer < all.size(); ++layer) {
    if (model.window && has_window(keys, kinds, static_cast<std::int64_t>(layer)))
      all[layer].window = model.window->keys;
    if (!turning.empty()) all[layer].rotary = turning[layer] != 0;
  }
  const bool alike = std::ranges::all_of(all, [](const LayerKind& kind) { return kind == LayerKind{}; });
  return alike ? std::vector<LayerKind>{} : all;
}

}  // namespace kbsim::models
