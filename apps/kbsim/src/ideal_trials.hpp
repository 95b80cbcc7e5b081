#pragma once

#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"

#include "trials.hpp"

namespace kbsim::app {

/// Key of the number of slots of the algorithm that a run of the bench names, or else that its ccl file
/// chooses. A plan's file uses the ccl file's defaults. "" for a bench that runs no or several algorithms.
[[nodiscard]] std::string slots_key_of(const std::string& bench, const std::string& algorithm,
                                       const config::CclSpec& ccl);
[[nodiscard]] std::string slots_key_of(const Arguments& run);

/// One trial per bound (explain::ideals_of) of the run's machine: its keys with their best values that the
/// run accepts. Keys that the run refuses are left out. Values that need memory, as slots, are found by
/// running.
[[nodiscard]] std::vector<Trial> ideal_trials(Trials& trials, const Arguments& run);

}  // namespace kbsim::app
