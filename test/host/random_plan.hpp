#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "program.hpp"

/// Random host programs: their steps, and the final contents of their tensors.
namespace kbsim::host::test::random_programs {

using Values = std::vector<double>;

constexpr int kTensors = 3;

enum class StepKind {
  all_reduce,
  broadcast,
  message,
  exchange,
  scatter,
  gather,
  all_gather_list,
  reduce_scatter_list,
  barrier,
  write,
  read,
  // where a rank's tensor is whole on each of its PEs:
  all_gather,
  reduce_scatter,
  all_to_all,
  launch,
};

struct Step {
  StepKind what = StepKind::barrier;
  std::size_t group = 0;
  int x = 0;
  int y = 1;
  int root = 0;  // a rank of the world, as the next
  int peer = 0;
  IndexRange rows{0, 1};
  ReduceOp op = ReduceOp::sum;
  double number = 0;
  bool later = false;                   // awaited
  std::map<int, Values> expected = {};  // by rank, of what is read
};

/// A program and the final contents of its tensors.
struct Plan {
  std::uint64_t seed = 0;
  int ranks = 1;
  Shape shape;
  topology::DPPolicy dp;
  bool over_cubes = false;               // a row each
  std::vector<std::vector<int>> groups;  // the first has all
  std::vector<Step> steps;
  std::vector<std::vector<Values>> values;  // by rank and tensor

  [[nodiscard]] const std::vector<int>& members(const Step& step) const { return groups[step.group]; }
  [[nodiscard]] bool takes_part(const Step& step, int rank) const {
    return std::ranges::find(members(step), rank) != members(step).end();
  }
  [[nodiscard]] std::size_t place(const Step& step, int rank) const {
    return static_cast<std::size_t>(std::ranges::find(members(step), rank) - members(step).begin());
  }
  [[nodiscard]] Values& of(int rank, int tensor) {
    return values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(tensor)];
  }
};

/// Element i of the first contents of a rank's tensor.
[[nodiscard]] double first_value(int rank, int tensor, std::int64_t i);
/// Element i of the tensor that a rank gives to others in a step.
[[nodiscard]] double given(const Step& step, int rank, std::int64_t i);

[[nodiscard]] Values generated(std::int64_t n, const std::function<double(std::int64_t)>& f);

/// Applies the step to the plan's tensors and computes what it reads: a reference without time.
void apply(Plan& plan, Step& step);

[[nodiscard]] Plan random_plan(std::uint64_t seed);

/// The program of such a plan: each rank checks all that it reads and the final contents of its tensors.
[[nodiscard]] Task<> random_main(Rank& main, Plan* plan);

/// Checks the contents of a tensor.
[[nodiscard]] Task<> expect_reference(Tensor x, Values values);

}  // namespace kbsim::host::test::random_programs
