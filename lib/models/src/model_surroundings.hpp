#pragma once

#include "kbsim/models/model_config.hpp"

#include "model_keys.hpp"

namespace kbsim::models {

/// Reads into `model`, whose layer has been read, what a whole model has around it and between its layers:
/// embedding, positions, kinds of layers, parts of norms, multipliers, final norm and head.
void read_surroundings(const ModelKeys& keys, ModelConfig& model);

}  // namespace kbsim::models
