#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/models/model_config.hpp"

#include "model_keys.hpp"

namespace kbsim::models {

/// The kind of each layer; none if all are a LayerKind{}. Unsupported for keys in chunks.
[[nodiscard]] std::vector<LayerKind> layer_kinds(const ModelKeys& keys, const ModelConfig& model);

}  // namespace kbsim::models
