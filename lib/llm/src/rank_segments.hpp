#pragma once

#include <vector>

#include "kbsim/host/rank.hpp"
#include "kbsim/llm/llm_problem.hpp"

#include "rank_run.hpp"
#include "step_board.hpp"
#include "step_launches.hpp"

namespace kbsim::inference {

/// Runs the launches of a step on one rank, segment by segment, and notes their spans. A segment that equals
/// an earlier one takes its time and isn't simulated.
[[nodiscard]] Task<> run_segments(host::Rank& rank, RankRun* run, Phase phase,
                                  const std::vector<StepLaunch>* launches, RankStep* step);

}  // namespace kbsim::inference
