#pragma once

#include <optional>

#include "kbsim/models/model_config.hpp"

#include "model_keys.hpp"

namespace kbsim::models {

/// Unsupported, with the key, for models whose layers aren't dense decoder layers of one kind.
void require_dense_decoder(const ModelKeys& keys);

/// The narrowest window of a layer's attention. UsageError if layers have one, and the file doesn't say how
/// wide it is.
[[nodiscard]] std::optional<AttentionWindow> attention_window(const ModelKeys& keys,
                                                              std::int64_t num_hidden_layers);

}  // namespace kbsim::models
