#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kbsim/ccl/plan.hpp"

namespace kbsim::ccl {

/// An input chunk, and how often it is in a sum.
struct PlanPart {
  int rank = 0;
  int chunk = 0;
  std::uint32_t times = 1;
  [[nodiscard]] auto source() const { return std::tie(rank, chunk); }
};
/// What a chunk holds: sorted by source. None: nothing has written it.
using PlanSum = std::shared_ptr<const std::vector<PlanPart>>;

/// What stands in each chunk of each rank's output when a plan has ended, followed as judge() does.
[[nodiscard]] std::vector<std::vector<PlanSum>> outputs_of(const Plan& plan, std::size_t most = 30'000'000);
/// "chunk 3 of rank 1's output: chunk 3 of rank 0 + 2 times chunk 0 of rank 2", of all that are written;
/// behind the first `most` parts of a sum, 0: all, "+ 24 more".
[[nodiscard]] std::vector<std::string> told_of(const std::vector<std::vector<PlanSum>>& outputs,
                                               std::size_t most = 0);

/// What a plan computes, beside the collective that it names. One that names none is right unless it reads
/// what nothing has written.
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
