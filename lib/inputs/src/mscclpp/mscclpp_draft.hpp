#pragma once

#include <vector>

#include "kbsim/base/plan_steps.hpp"

namespace kbsim::inputs::mscclpp {

/// A step of a rank's thread block: the numbers of both.
struct StepRef {
  int block = -1;
  int step = -1;
};

/// Thread blocks whose steps may wait for any number of steps of the same rank. A plan's step waits for only
/// one, so for each other wait an empty step is inserted before it.
class PlanDraft {
 public:
  explicit PlanDraft(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  int add_block(int rank, const PlanBlock& block);
  [[nodiscard]] PlanBlock& block(int rank, int number);
  StepRef add(int rank, int block, const PlanStep& step);
  /// The step begins when `after` has ended.
  void order(int rank, StepRef step, StepRef after);
  /// The last step so far; its number is -1 if there is none.
  [[nodiscard]] StepRef last(int rank, int block) const;

  [[nodiscard]] std::vector<std::vector<PlanBlock>> finish() const;

 private:
  struct Draft {
    PlanStep step;
    std::vector<StepRef> after = {};
  };
  struct Block {
    PlanBlock block;
    std::vector<Draft> steps = {};
  };
  using Rank = std::vector<Block>;

  [[nodiscard]] static std::vector<StepRef> waits(const Draft& draft, StepRef at);
  [[nodiscard]] static std::vector<PlanBlock> finished(const Rank& rank);

  std::vector<Rank> ranks_;
};

}  // namespace kbsim::inputs::mscclpp
