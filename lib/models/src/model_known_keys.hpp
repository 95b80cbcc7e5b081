#pragma once

#include <string_view>

#include "model_keys.hpp"

namespace kbsim::models {

/// Unsupported, with place and key, for an unknown key of config.json, and for one with an effect that isn't
/// simulated: it changes shapes, bytes or operations. Keys that are null, that are read, or that a table
/// lists as idle pass.
void require_known_keys(const ModelKeys& keys);
/// Whether a table has the key.
[[nodiscard]] bool is_known_key(std::string_view key);

}  // namespace kbsim::models
