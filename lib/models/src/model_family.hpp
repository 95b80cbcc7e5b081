#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kbsim/models/model_config.hpp"

namespace kbsim::models {

/// Values of a family's models for keys that their config.json lacks.
struct ModelFamily {
  std::string_view model_type;
  HiddenAct act = HiddenAct::silu;
  bool gated = true;  // down(act(gate) * up)
  bool rms_norm = true;
  bool attention_bias = false;  // of queries, keys and values
  bool output_bias = false;     // of attention
  bool mlp_bias = false;
  bool shared_kv = false;                // one head of keys and values
  bool side_by_side = false;             // attention and MLP, unless a key says otherwise
  MlpInput beside = MlpInput::own_norm;  // what the MLP works on then
  bool qk_norm = false;                  // each head of queries and keys has an RMS norm
};

/// By model_type; nullptr if it isn't known.
[[nodiscard]] const ModelFamily* family_of(std::string_view model_type);

/// Why models of that type aren't simulated; "" for others.
[[nodiscard]] std::string_view why_no_decoder(std::string_view model_type);

/// Types of families, and of models that aren't simulated.
[[nodiscard]] std::vector<std::string> known_model_types();

}  // namespace kbsim::models
