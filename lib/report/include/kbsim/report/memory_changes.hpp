#pragma once

#include <string>
#include <vector>

#include "kbsim/topology/memory_change.hpp"

namespace kbsim::report {

/// A row for each tensor that got memory or gave it back, in the order of time.
[[nodiscard]] std::string memory_csv(const std::vector<topology::MemoryChange>& changes);

}  // namespace kbsim::report
