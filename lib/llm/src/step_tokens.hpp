#pragma once

#include <cstddef>

#include "kbsim/host/rank.hpp"
#include "kbsim/sim/task.hpp"

#include "rank_run.hpp"

namespace kbsim::inference {

/// The host hands the tokens that it has chosen to the first stage of a decode.
[[nodiscard]] Task<> hand_tokens(host::Rank& rank, RankRun* run, std::size_t phase);

/// Reads the candidates of a rank that has the head.
[[nodiscard]] Task<> read_tokens(RankRun* run, std::size_t phase, RankStep* step);

/// Reads ids and logits, which are compared with the undivided model afterwards.
[[nodiscard]] Task<> keep_numbers(RankRun* run, std::size_t phase, RankStep* step);

}  // namespace kbsim::inference
