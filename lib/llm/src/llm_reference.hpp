#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/host/host_array.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/models/model_reference.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::inference {

/// The undivided model in f64 beside a run: gives the logits of its phases, one after the other.
class LlmReference {
 public:
  explicit LlmReference(const LlmPlan& plan);

  /// Logits of the phase's last rows. `ids` are the tokens that a decode begins with.
  [[nodiscard]] std::vector<double> logits(Phase phase, const std::vector<std::int64_t>& ids);

 private:
  [[nodiscard]] models::ReferenceCache drawn_cache(std::int64_t sequence) const;

  const LlmPlan& plan_;
  models::ReferenceModel model_;
  std::vector<models::ReferenceCache> caches_;  // by sequence
};

/// Within some roundings of the dtype, of the size of the largest logit.
[[nodiscard]] replay::Comparison compare_logits(const host::HostArray& logits,
                                                const std::vector<double>& expected);

}  // namespace kbsim::inference
