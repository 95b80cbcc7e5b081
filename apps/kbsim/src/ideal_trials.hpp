#pragma once

#include <string>
#include <vector>

#include "trials.hpp"

namespace kbsim::app {

/// Key of the number of slots of the algorithm that a run names, or that its ccl file chooses. A plan's file
/// uses the ccl file's defaults. "" for a bench that runs no or several algorithms.
[[nodiscard]] std::string slots_key_of(const Arguments& run);

/// One trial per bound (explain::ideals_of) of the run's machine: its keys with their best values that the
/// run accepts. Keys that the run refuses are left out. Values that need memory, as slots, are found by
/// running.
[[nodiscard]] std::vector<Trial> ideal_trials(Trials& trials, const Arguments& run);

}  // namespace kbsim::app
