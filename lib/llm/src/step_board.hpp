#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/host/host_array.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/meeting.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::inference {

/// A rank's results of a step in the host's memory. Ranks of the last stage have candidates of
/// tokens: the lowest of the largest logits among their words, and that logit if layers are divided.
struct RankStep {
  std::vector<OperationSpan> spans;
  std::int64_t hbm_bytes = 0;
  Time reached{};  // the candidates, or the end of the rank's launches,
  Cause why = {};  // and its cause, if causes are kept
  std::vector<std::int64_t> words;
  std::vector<double> largest;
  std::vector<std::int64_t> ids;  // the step began with
  std::vector<double> logits;     // [rows, its words]
};

/// The host's memory, which the programs of all ranks share, and the border between two steps, which they
/// pass together at no cost in simulated time.
class StepBoard {
 public:
  StepBoard(Simulation& sim, int ranks, std::size_t phases);

  /// Goes on when all ranks have come here.
  [[nodiscard]] Task<> meet() { return meeting_.join(); }
  [[nodiscard]] RankStep& step(std::size_t phase, int rank) {
    return steps_[phase][static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const RankStep& step(std::size_t phase, int rank) const {
    return steps_[phase][static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Time& begin(std::size_t phase) { return begins_[phase]; }

 private:
  Meeting meeting_;
  std::vector<std::vector<RankStep>> steps_;  // by phase and rank
  std::vector<Time> begins_;                  // by phase
};

/// The tokens that a copy of the model chose: of each row the word of the largest logit among its ranks, the
/// lowest of equals. None in runs without values.
[[nodiscard]] std::vector<std::int64_t> chosen_tokens(const DividedPlan& plan, const StepBoard& board,
                                                      std::size_t phase, int copy);

/// A phase as the host saw it: spans along the path, which is rank 0 of each stage of the slowest copy, and
/// the tokens of all copies.
[[nodiscard]] StepRun step_of(const DividedPlan& plan, StepBoard& board, std::size_t phase);

}  // namespace kbsim::inference
