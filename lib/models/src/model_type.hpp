#pragma once

#include <string>

#include "kbsim/models/model_config.hpp"

#include "model_family.hpp"
#include "model_keys.hpp"

namespace kbsim::models {

/// The family by model_type or, without that, by the class that `architectures` names; none if the file has
/// neither. UsageError for a class that contradicts the type; Unsupported with the place for a type or class
/// whose layer isn't known, and for one that isn't simulated.
[[nodiscard]] const ModelFamily* family_in(const ModelKeys& keys);

/// For a file without a family: Unsupported, with the place of a key that LLaMA's layer doesn't have.
void require_like_llama(const ModelKeys& keys, const ModelConfig& model);

}  // namespace kbsim::models
