#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/sweep/plan.hpp"

namespace kbsim::sweep {

/// Reads the configuration of a point's words; throws as kbsim run would.
using CheckPoint = std::function<void(const std::vector<std::string>& words)>;

/// UsageError if of some points, spread over the plan, none can be read: a key that isn't there, a bench that
/// isn't known. It names the axis and its place where the plan has one.
void require_readable(const Plan& plan, const CheckPoint& check);

}  // namespace kbsim::sweep
