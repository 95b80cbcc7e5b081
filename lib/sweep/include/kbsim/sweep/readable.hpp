#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// Reads the configuration of a point's words; throws as kbsim run would.
using CheckPoint = std::function<void(const std::vector<std::string>& words)>;

/// UsageError if no point of a few, spread over the plan, can be read: a missing key, an unknown bench.
/// UsageError, too, if any of up to 256 points, spread likewise, has a setting without effect (NoEffect).
/// Both name the axis and its place, if the plan has one.
void require_readable(const Plan& plan, const CheckPoint& check);

}  // namespace kbsim::sweep
