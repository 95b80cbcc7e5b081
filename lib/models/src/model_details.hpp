#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kbsim/models/rope.hpp"

namespace kbsim::models {

/// Surroundings of the layers in a family's models: values for keys that their config.json lacks.
struct ModelDetails {
  std::string_view model_type;
  Positions positions = Positions::rotary;
  double rotary_part = 1.0;      // of the elements of a head
  std::int64_t rotary_dims = 0;  // these elements, where the family counts them
  bool interleaved = false;
  std::int64_t first_position_row = 0;
  bool tied = false;
  bool head_bias = false;
  bool norm_weight = true;
  bool norm_bias = true;
  bool norm_plus_one = false;
  bool embedding_by_root = false;  // it is multiplied by sqrt(hidden_size)
  std::optional<double> attention_scale = std::nullopt;
  double logit_multiplier = 1.0;
};

/// By the model_type of a known family.
[[nodiscard]] const ModelDetails& details_of(std::string_view model_type);

}  // namespace kbsim::models
