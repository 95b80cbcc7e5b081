#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/llm/equal_segments.hpp"
#include "kbsim/llm/llm_plan.hpp"

#include "step_board.hpp"
#include "transfers.hpp"

namespace kbsim::inference {

class MoveCounter;

/// A rank, its plan and tensors, and what it shares with others.
struct RankRun {
  const DividedPlan* whole;
  const LlmPlan* plan;
  StepBoard* board;
  MoveCounter* moves;
  EqualSegments* equal;  // none: all is simulated
  std::vector<host::Tensor> tensors;
  Transfers transfers;

  [[nodiscard]] const RankShare& share() const { return plan->share; }
  [[nodiscard]] host::Tensor tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
};

}  // namespace kbsim::inference
