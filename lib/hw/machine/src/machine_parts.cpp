#include "kbsim/hw/machine_parts.hpp"

#include <algorithm>
#include <limits>

namespace kbsim::hw {

MachineParts::MachineParts(const topology::Graph& graph) : in_package_{1}, count_{1} {
  int packages = 0;
  for (const topology::Node& node : graph.nodes()) {
    packages = std::max(packages, node.at.sip + 1);
    in_package_ = std::max(in_package_, node.at.cube + 2);
  }
  const auto all = 1 + static_cast<std::size_t>(packages) * static_cast<std::size_t>(in_package_);
  if (all <= std::size_t{1} + std::numeric_limits<PartId>::max()) count_ = all;
}

PartId MachineParts::of(const topology::Node& node) const {
  if (node.at.sip < 0 || count_ == 1) return kHost;
  return static_cast<PartId>(1 + node.at.sip * in_package_ + node.at.cube + 1);
}

}  // namespace kbsim::hw
