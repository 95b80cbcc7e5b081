#pragma once

#include <map>
#include <string>
#include <vector>

#include "kbsim/inputs/chakra/trace.hpp"

namespace kbsim::inputs::chakra {

/// Ranks of the world, ascending, by pg_name.
using StatedGroups = std::map<std::string, std::vector<int>>;

/// The groups that a rank's trace states in its metadata nodes, as PyTorch writes them
/// ("## process_group:init ##"): a list of ranks that is empty is all of the world. UsageError that names the
/// node for a list that can't be read.
[[nodiscard]] StatedGroups stated_groups(const Trace& trace, int ranks);

}  // namespace kbsim::inputs::chakra
