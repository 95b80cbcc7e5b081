#pragma once

#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::host {

/// What an algorithm's entry names is there: kernel, topology, mapper and validator. ConfigError with the
/// place of each that isn't, and the nearest name of what is meant.
void require_known(const config::AlgorithmSpec& algorithm);

}  // namespace kbsim::host
