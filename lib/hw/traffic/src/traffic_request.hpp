#pragma once

#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::hw {

/// UsageError with what was expected.
void check_request(const TrafficRequest& request);

}  // namespace kbsim::hw
