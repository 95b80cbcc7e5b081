#pragma once

#include "model_keys.hpp"

namespace kbsim::evaluate {

/// Unsupported, with place and key, for a key of config.json that changes shapes, bytes or operations in a
/// way that isn't simulated, and for one that isn't known. Keys that are null, that are read, or that are
/// idle by knowledge pass.
void require_known_keys(const ModelKeys& keys);

}  // namespace kbsim::evaluate
