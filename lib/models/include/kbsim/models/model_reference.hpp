#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_weights.hpp"

namespace kbsim::models {

/// An element of a weight of a layer (0 beside the layers), by the row and column of its WeightShape.
using WeightFunction =
    std::function<double(Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column)>;

/// Keys and values of a sequence by layer, each [tokens, kv_width]. Keys are kept as scores need them: after
/// their norm and their turn.
struct ReferenceCache {
  std::int64_t tokens = 0;
  std::vector<std::vector<double>> keys;
  std::vector<std::vector<double>> values;
};

/// New tokens of a sequence, after those in its cache.
struct ReferenceSequence {
  std::vector<std::int64_t> tokens;
  ReferenceCache* cache = nullptr;
  std::int64_t logit_rows = 1;
};

/// A whole undivided model in f64, by loops over its definition: the standard that runs are compared with.
/// It shares no arithmetic with kernels, and rounds nothing but what `weights` and caches have rounded.
class ReferenceModel {
 public:
  ReferenceModel(ModelConfig model, const WeightFunction& weights);

  [[nodiscard]] ReferenceCache empty_cache() const;

  /// Logits [tokens, vocab_size]; the cache has the tokens' keys and values then. UsageError for a token that
  /// isn't in the vocabulary, and for a position that the table of learned ones lacks.
  std::vector<double> logits(std::span<const std::int64_t> tokens, ReferenceCache& cache) const;

  /// Logits of the last rows of each sequence, one sequence after the other.
  std::vector<double> logits(std::span<const ReferenceSequence> batch) const;

 private:
  using Rows = std::vector<double>;

  [[nodiscard]] const Rows* find(Weight weight, std::int64_t layer) const;
  [[nodiscard]] Rows embedded(std::span<const std::int64_t> tokens, std::int64_t first_position) const;
  [[nodiscard]] Rows normed(const Rows& x, Weight norm, Weight bias, std::int64_t layer) const;
  [[nodiscard]] Rows product(const Rows& x, Weight matrix, Weight bias, std::int64_t layer) const;
  void turn_heads(Rows& x, Weight norm, std::int64_t layer, std::int64_t first_position) const;
  [[nodiscard]] Rows attended(const Rows& q, std::int64_t layer, const ReferenceCache& cache) const;
  [[nodiscard]] Rows attention(const Rows& normal, std::int64_t layer, ReferenceCache& cache) const;
  [[nodiscard]] Rows mlp(const Rows& normal, std::int64_t layer) const;
  void add_layer(Rows& x, std::int64_t layer, ReferenceCache& cache) const;
  [[nodiscard]] Rows head(const Rows& x) const;

  ModelConfig model_;
  std::vector<double> frequencies_;
  std::map<std::pair<Weight, std::int64_t>, Rows> weights_;
};

/// The token of the largest logit, of equals the first.
[[nodiscard]] std::int64_t most_likely(std::span<const double> logits);

}  // namespace kbsim::models
