#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching.hpp"

namespace kbsim::inputs::chakra {

/// Removes from a rank's calls the nodes that only record another node's communication; they become CPU work
/// of their own duration. COMP_NODEs that are communication kernels take no time. A CPU node with the
/// operations and bytes of a later device node loses its own. The rank's items begin at `first` and know
/// their dependents. Returns the number of records. Unsupported for a kernel or a call of NCCL whose
/// communication no node states.
std::size_t set_records_apart(Workload& work, std::uint32_t first, std::vector<Call>& calls);

}  // namespace kbsim::inputs::chakra
