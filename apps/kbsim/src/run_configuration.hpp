#pragma once

#include "kbsim/config/load.hpp"

#include "run_inputs.hpp"

namespace kbsim::app {

/// The configuration as it runs. ConfigError for each mistake in the files and settings, and for each setting
/// that has no effect on the bench.
[[nodiscard]] config::Configuration load(const RunInputs& inputs);

}  // namespace kbsim::app
