#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kbsim/ccl/plan.hpp"

namespace kbsim::ccl {

/// What a plan computes, beside the collective that it names.
struct PlanJudgement {
  std::vector<std::string> problems;  // the first ones: "rank 1's output chunk 3 lacks chunk 3 of rank 0"
  std::size_t wrong = 0;              // chunks of outputs that aren't what they should be
  std::size_t unwritten = 0;          // chunks that a step reads and nothing has written

  [[nodiscard]] bool right() const { return wrong == 0; }
};

/// Follows the contributions of all input chunks through a plan's steps, in an order that the plan allows and
/// with queues of any length. Combining is taken for a sum. The root is rank 0. Limited: Unsupported for a
/// plan in which more than `most` contributions move.
[[nodiscard]] PlanJudgement judge(const Plan& plan, std::size_t most = 30'000'000);

}  // namespace kbsim::ccl
