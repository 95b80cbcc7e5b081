#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/models/model_config.hpp"

namespace kbsim::models {

/// Weights of a model: matrices, and rows of norms and biases.
enum class Weight : std::uint8_t {
  embedding,
  positions,
  input_norm,
  input_norm_bias,
  q,
  q_bias,
  k,
  k_bias,
  v,
  v_bias,
  q_norm,
  k_norm,
  output,
  output_bias,
  post_norm,
  post_norm_bias,
  gate,
  gate_bias,
  up,
  up_bias,
  down,
  down_bias,
  final_norm,
  final_norm_bias,
  head,
  head_bias
};
/// "input_norm"
[[nodiscard]] std::string_view to_string(Weight weight);

/// A matrix of [in, out], x W; one row of a norm or bias; of the embedding and of learned positions a row
/// each.
struct WeightShape {
  Weight weight{};
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

/// Weights of each layer, in the order of their use.
[[nodiscard]] std::vector<WeightShape> layer_weights(const ModelConfig& model);
/// Weights beside the layers: embedding, positions, final norm, and a head that isn't tied.
[[nodiscard]] std::vector<WeightShape> weights_beside_layers(const ModelConfig& model);

/// Number of weights, a tied matrix once.
[[nodiscard]] std::int64_t parameters(const ModelConfig& model);

}  // namespace kbsim::models
