#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/sweep/plan.hpp"

namespace kbsim::sweep {

/// Reads the configuration of a point's words; throws as kbsim run would.
using CheckPoint = std::function<void(const std::vector<std::string>& words)>;

/// UsageError if none of some points, spread over the plan, can be read: a key that isn't there, a bench that
/// isn't known. UsageError, too, if any of up to 256 points, spread likewise, has a setting without effect
/// (NoEffect). Both name the axis and its place where the plan has one.
void require_readable(const Plan& plan, const CheckPoint& check);

}  // namespace kbsim::sweep
