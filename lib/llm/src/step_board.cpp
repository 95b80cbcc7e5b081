#include "step_board.hpp"

#include <algorithm>
#include <iterator>

namespace kbsim::inference {
namespace {

// The first rank of each stage of a copy.
std::vector<int> path_of(const Division& division, int copy) {
  std::vector<int> ranks;
  for (int stage = 0; stage < division.pp; ++stage) ranks.push_back(division.rank_of({0, stage, copy}));
  return ranks;
}

// The rank of a copy that reached its candidates last.
const RankStep& last_of(const Division& division, const StepBoard& board, std::size_t phase, int copy) {
  const RankStep* last = nullptr;
  for (int tp = 0; tp < division.tp; ++tp) {
    const RankStep& step = board.step(phase, division.rank_of({tp, division.pp - 1, copy}));
    if (last == nullptr || step.reached > last->reached) last = &step;
  }
  return *last;
}

int slowest_copy(const Division& division, const StepBoard& board, std::size_t phase) {
  int slowest = 0;
  for (int copy = 1; copy < division.dp; ++copy) {
    if (last_of(division, board, phase, copy).reached > last_of(division, board, phase, slowest).reached)
      slowest = copy;
  }
  return slowest;
}

}  // namespace

StepBoard::StepBoard(Simulation& sim, int ranks, std::size_t phases)
    : meeting_{sim, ranks},
      steps_(phases, std::vector<RankStep>(static_cast<std::size_t>(ranks))),
      begins_(phases) {}

std::vector<std::int64_t> chosen_tokens(const DividedPlan& plan, const StepBoard& board, std::size_t phase,
                                        int copy) {
  const Division& division = plan.problem.division;
  std::vector<std::int64_t> tokens;
  std::vector<double> largest;
  for (int tp = 0; tp < division.tp; ++tp) {
    const RankPlace at{tp, division.pp - 1, copy};
    const RankStep& step = board.step(phase, division.rank_of(at));
    const std::int64_t first = plan.at(at).share.first_word;
    for (std::size_t row = 0; row < step.words.size(); ++row) {
      if (tp == 0) {
        tokens.push_back(first + step.words[row]);
        largest.push_back(step.largest.empty() ? 0.0 : step.largest[row]);
      } else if (step.largest[row] > largest[row]) {
        tokens[row] = first + step.words[row];
        largest[row] = step.largest[row];
      }
    }
  }
  return tokens;
}

StepRun step_of(const DividedPlan& plan, StepBoard& board, std::size_t phase) {
  const Division& division = plan.problem.division;
  const int slowest = slowest_copy(division, board, phase);
  const RankStep& last = last_of(division, board, phase, slowest);
  StepRun run{.phase = plan.problem.phases[phase],
              .begin = board.begin(phase),
              .end = last.reached,
              .copy = slowest,
              .why = last.why};
  for (const int rank : path_of(division, slowest)) {
    const RankStep& step = board.step(phase, rank);
    std::ranges::copy(step.spans, std::back_inserter(run.spans));
    run.hbm_bytes += step.hbm_bytes;
  }
  for (int copy = 0; copy < division.dp; ++copy)
    std::ranges::copy(chosen_tokens(plan, board, phase, copy), std::back_inserter(run.tokens));
  return run;
}

}  // namespace kbsim::inference
