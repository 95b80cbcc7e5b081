// Random host programs are drawn from a seed.
#include "random_plan.hpp"

#include <algorithm>
#include <array>

#include "kbsim/base/random.hpp"

namespace kbsim::host::test::random_programs {
namespace {

constexpr double kLargest = 1 << 20;  // so that sums of a few are exact in f32
// Numbers of kinds of steps for any placement, and for whole tensors.
constexpr auto kAnywhere = static_cast<std::uint64_t>(StepKind::all_gather);
constexpr auto kWhole = static_cast<std::uint64_t>(StepKind::launch) + 1;

double largest(const Plan& plan) {
  double most = 0;
  for (const auto& of_rank : plan.values) {
    for (const Values& values : of_rank) most = std::max(most, std::ranges::max(values));
  }
  return most;
}

std::vector<int> random_group(Random& random, int ranks) {
  std::vector<int> group;
  for (int rank = 0; rank < ranks; ++rank) {
    if (random.below(2) == 0) group.push_back(rank);
  }
  if (group.empty()) group.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))));
  return group;
}

int below(Random& random, std::int64_t n) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
}

Step random_step(Random& random, const Plan& plan, bool whole) {
  Step step{.what = static_cast<StepKind>(random.below(whole ? kWhole : kAnywhere))};
  step.group = random.below(plan.groups.size());
  const std::vector<int>& members = plan.members(step);
  step.x = below(random, kTensors);
  step.y = (step.x + 1 + below(random, kTensors - 1)) % kTensors;
  step.root = members[random.below(members.size())];
  step.peer = members[random.below(members.size())];
  const std::int64_t begin = below(random, plan.shape[0]);
  step.rows = {begin, begin + 1 + below(random, plan.shape[0] - begin)};
  if (random.below(2) == 0) step.rows = {0, plan.shape[0]};
  step.number = below(random, 9);
  const bool sum_fits = largest(plan) * static_cast<double>(2 * members.size()) < kLargest;
  step.op = sum_fits && random.below(2) == 0 ? ReduceOp::sum
            : random.below(2) == 0           ? ReduceOp::max
                                             : ReduceOp::min;
  step.later = random.below(2) == 0;
  return step;
}

bool is_possible(const Plan& plan, const Step& step) {
  if (step.what == StepKind::message) return step.root != step.peer;
  return step.what != StepKind::exchange || plan.members(step).size() > 1;
}

}  // namespace

Plan random_plan(std::uint64_t seed) {
  Random random{seed};
  Plan plan{.seed = seed, .ranks = 1 + below(random, 5)};
  constexpr std::array<std::int64_t, 5> kColumns{1, 3, 8, 33, 700};
  plan.shape = {2 + below(random, 2), kColumns[random.below(kColumns.size())]};
  const std::uint64_t placement = random.below(4);
  if (placement < 2) plan.dp = {.num_cubes = 1, .num_pes = 1};
  if (placement == 3) {
    plan.dp = kRows;
    plan.over_cubes = true;
    plan.shape = {2, plan.shape[1]};
  }
  for (int rank = 0; rank < plan.ranks; ++rank) {
    std::vector<Values> tensors;
    for (int x = 0; x < kTensors; ++x)
      tensors.push_back(
          generated(plan.shape.elements(), [&](std::int64_t i) { return first_value(rank, x, i); }));
    plan.values.push_back(tensors);
    if (rank == 0) plan.groups.emplace_back();
    plan.groups.front().push_back(rank);
  }
  for (std::uint64_t i = random.below(3); i > 0; --i) plan.groups.push_back(random_group(random, plan.ranks));
  for (std::uint64_t i = 4 + random.below(12); i > 0; --i) {
    Step step = random_step(random, plan, placement < 3);
    if (!is_possible(plan, step)) continue;
    apply(plan, step);
    plan.steps.push_back(step);
  }
  return plan;
}

}  // namespace kbsim::host::test::random_programs
