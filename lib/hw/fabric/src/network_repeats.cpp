#include "kbsim/hw/fabric/network.hpp"

#include "paths.hpp"

namespace kbsim::hw {

void Network::visit_paths(RepeatVisitor& visitor) {
  for (Path& path : paths_->all()) visitor.count_item(path.delivered);
}

}  // namespace kbsim::hw
