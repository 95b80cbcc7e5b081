#pragma once

#include <map>
#include <string>
#include <vector>

#include "kbsim/inputs/chakra/chakra_trace.hpp"

namespace kbsim::inputs::chakra {

/// Ranks of the world, ascending, by pg_name.
using StatedGroups = std::map<std::string, std::vector<int>>;

/// The groups in the metadata nodes of a rank's trace, as PyTorch writes them ("## process_group:init ##").
/// An empty list of ranks means all ranks. UsageError that names the node if a list can't be read.
[[nodiscard]] StatedGroups stated_groups(const Trace& trace, int ranks);

}  // namespace kbsim::inputs::chakra
