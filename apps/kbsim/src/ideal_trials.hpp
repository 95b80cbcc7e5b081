#pragma once

#include <string>
#include <vector>

#include "trials.hpp"

namespace kbsim::app {

/// The key of the slots of the collective algorithm that a run names, or that its ccl file takes: of a plan's
/// file those of the ccl file's defaults. "" of a bench that runs none, or several.
[[nodiscard]] std::string slots_key_of(const Arguments& run);

/// A trial for each bound (explain::ideals_of) of the machine that the run has: its keys, those that the run
/// refuses left out, with the best values that they take. Where memories must have room, as of slots, that is
/// found by running.
[[nodiscard]] std::vector<Trial> ideal_trials(Trials& trials, const Arguments& run);

}  // namespace kbsim::app
