#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/models/model_reference.hpp"

#include "step_board.hpp"

namespace kbsim::inference {

/// The undivided model in f64 beside a run: gives the logits of its phases, one after the other.
class LlmReference {
 public:
  explicit LlmReference(const DividedPlan& plan);

  /// Logits of the phase's last rows. `ids` are the tokens that a decode begins with.
  [[nodiscard]] std::vector<double> logits(Phase phase, const std::vector<std::int64_t>& ids);

 private:
  [[nodiscard]] models::ReferenceCache drawn_cache(std::int64_t sequence) const;

  const LlmProblem& problem_;
  const DrawnWeights& numbers_;
  models::ReferenceModel model_;
  std::vector<models::ReferenceCache> caches_;  // by sequence
};

/// Compares the logits of each phase: within some roundings of the dtype, of the size of the largest logit.
void compare_steps(const DividedPlan& plan, const StepBoard& board, LlmRun* run);

}  // namespace kbsim::inference
