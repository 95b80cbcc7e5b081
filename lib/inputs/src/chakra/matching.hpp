#pragma once

#include <string>
#include <vector>

#include "kbsim/inputs/chakra/workload.hpp"

#include "chakra_groups.hpp"

namespace kbsim::inputs::chakra {

/// The communication of a node.
struct Call {
  std::uint32_t item = 0;
  NodeType type = NodeType::collective;
  Meaning meaning;
};

[[nodiscard]] std::string described(const WorkItem& item);  // "rank 0: node 3 'x'"

/// Fills in groups and communications of a workload: calls and stated groups are by rank, the calls of each
/// in their order.
void match(const std::vector<std::vector<Call>>& calls, const std::vector<StatedGroups>& stated,
           Workload& workload);

}  // namespace kbsim::inputs::chakra
