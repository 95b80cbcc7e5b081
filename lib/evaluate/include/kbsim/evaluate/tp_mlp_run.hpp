#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

enum class Activation { relu, silu, gelu };

/// y = act(x W1 + b1) W2 + b2 in f16, over `ranks` packages: W1 by columns, W2 by rows, on one PE of each.
struct TpMlpProblem {
  int ranks = 1;
  std::int64_t tokens = 8, hidden = 64, ffn = 256;
  Activation activation = Activation::gelu;
  bool bias = true;
};

/// Time of a part of a program on rank 0, from its call to its end.
struct ProgramStep {
  std::string_view name;
  Time time{};
};

struct TpMlpRun {
  std::vector<ProgramStep> steps;
  Time time{};                 // of rank 0, from the first call to the last end
  StatedTime stated = {};      // that time
  replay::Comparison numbers;  // of all ranks, against the unsplit computation in f64
};

/// A package for each rank.
[[nodiscard]] config::MachineSpec machine_of(const TpMlpProblem& problem, config::MachineSpec machine);
/// UsageError if the sizes don't divide, or if the tensors don't fit.
void require_possible(const config::MachineSpec& machine, const TpMlpProblem& problem);

/// The program of the main rank: spawns one rank per package. `all_reduce` is the algorithm that sums up.
[[nodiscard]] Task<> run_tp_mlp(host::Rank& main, TpMlpProblem problem, std::string all_reduce,
                                TpMlpRun* run);

/// 2 M N K of both products, of one rank.
[[nodiscard]] double flops_of_a_rank(const TpMlpProblem& problem);

}  // namespace kbsim::evaluate
