#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kbsim/ccl/plan.hpp"

namespace kbsim::ccl {

/// An input chunk, and the number of times that a sum contains it.
struct Contribution {
  int rank = 0;
  int chunk = 0;
  std::uint32_t times = 1;
  [[nodiscard]] auto source() const { return std::tie(rank, chunk); }
};
/// The contributions whose sum a chunk holds, sorted by source. Null: no step has written it.
using PlanSum = std::shared_ptr<const std::vector<Contribution>>;

/// The sums in the chunks of each rank's output at the end of a plan, computed as judge() does.
[[nodiscard]] std::vector<std::vector<PlanSum>> outputs_of(const Plan& plan, std::size_t most = 30'000'000);
/// "chunk 3 of rank 1's output: chunk 3 of rank 0 + 2 times chunk 0 of rank 2" per written chunk. After
/// `most` contributions to a sum (0: no limit), "+ 24 more".
[[nodiscard]] std::vector<std::string> describe(const std::vector<std::vector<PlanSum>>& outputs,
                                                std::size_t most = 0);

/// Compares the results of a plan with the collective that it names. A plan that names none is right unless
/// it reads a chunk that no step has written.
struct PlanJudgement {
  std::vector<std::string> problems;  // the first ones: "rank 1's output chunk 3 lacks chunk 3 of rank 0"
  std::size_t wrong = 0;              // chunks of outputs with wrong sums
  std::size_t unwritten = 0;          // chunks that a step reads and no step has written

  [[nodiscard]] bool right() const { return wrong == 0; }
};

/// Follows the contributions of all input chunks through a plan's steps, in an order that the plan allows and
/// with queues of any length. Any reduction counts as a sum. The root is rank 0. Unsupported for a plan in
/// which more than `most` contributions move.
[[nodiscard]] PlanJudgement judge(const Plan& plan, std::size_t most = 30'000'000);

}  // namespace kbsim::ccl
