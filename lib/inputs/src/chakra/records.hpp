#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching.hpp"

namespace kbsim::inputs::chakra {

/// Takes out of a rank's calls the nodes that record a communication of another node, and makes them work of
/// the CPU, for as long as they say. Kernels of communication that stand as COMP_NODE take no time. A node of
/// the CPU that has the operations and bytes of a device's node after it has none of its own.
/// The rank's items begin at `first`, and know which others wait for them. Returns the number of records.
/// Unsupported for a kernel, or a call of NCCL, whose communication no node states.
std::size_t set_records_apart(Workload& work, std::uint32_t first, std::vector<Call>& calls);

}  // namespace kbsim::inputs::chakra
