#pragma once

#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::host {

/// Checks that the kernel, collective, topology, mapper and validator that an algorithm names exist.
/// ConfigError with the place of each missing one, and the nearest name.
void require_known(const config::AlgorithmSpec& algorithm);

}  // namespace kbsim::host
