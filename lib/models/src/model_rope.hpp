#pragma once

#include <cstdint>

#include "kbsim/models/rope.hpp"

#include "model_details.hpp"
#include "model_keys.hpp"

namespace kbsim::models {

/// Rotary positions as a config.json has them, also within rope_scaling and rope_parameters. Unsupported with
/// the key's place for a scaling that isn't simulated.
[[nodiscard]] Rope read_rope(const ModelKeys& keys, const ModelDetails& details, std::int64_t head_dim);

}  // namespace kbsim::models
