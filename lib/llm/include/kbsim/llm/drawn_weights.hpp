#pragma once

#include <cstdint>

#include "kbsim/base/dtype.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_weights.hpp"

namespace kbsim::inference {

/// Numbers of a model, its cache and its prompt, drawn by a seed and rounded to the dtype. Norms multiply by
/// numbers near 1, matrices keep the size of what they multiply.
class DrawnWeights {
 public:
  DrawnWeights(const models::ModelConfig& model, std::uint64_t seed);

  /// As models::WeightFunction.
  [[nodiscard]] double operator()(models::Weight weight, std::int64_t layer, std::int64_t row,
                                  std::int64_t column) const;
  /// A key (0) or value (1) of a sequence at a position, by the column of its kv width.
  [[nodiscard]] double cached(int which, std::int64_t layer, std::int64_t sequence, std::int64_t position,
                              std::int64_t column) const;
  [[nodiscard]] std::int64_t token(std::int64_t sequence, std::int64_t position) const;

 private:
  [[nodiscard]] double rounded(double number) const;

  std::uint64_t seed_;
  DType dtype_;
  bool norm_plus_one_;
  std::int64_t vocabulary_;
  double hidden_, heads_, inner_;  // scales of matrices by their input
};

}  // namespace kbsim::inference
