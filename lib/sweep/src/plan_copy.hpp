#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// Reads the plan that write_plan() left in a folder, without places; returns its requests, one per point.
/// UsageError if the folder has none.
[[nodiscard]] std::vector<std::string> read_plan_copy(const std::filesystem::path& out, Plan& plan);

}  // namespace kbsim::sweep
