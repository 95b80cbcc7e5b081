#include "kbsim/hw/fabric/fabric.hpp"

#include "paths.hpp"

namespace kbsim::hw {

void Fabric::visit(RepeatVisitor& visitor) {
  if (switches().any()) visitor.refuse("packets wait in switches");
  if (!is_whole()) visitor.refuse("the machine is divided among threads");
  if (spans() != nullptr || traces_messages()) visitor.refuse("a trace is recorded");
  if (causes() != nullptr) visitor.refuse("causes are kept");
  for (std::uint32_t i = 0; i < live_links().size(); ++i) {
    (void)served(LinkId{i});
    live(LinkId{i}).lane.visit(visitor);
  }
  for (Path& path : paths_->all()) visitor.count_item(path.delivered);
  visitor.count(opened_);
  visitor.count(under_way_);
  visitor.count(attribution_.messages);
  attribution_.split.visit(visitor);
}

}  // namespace kbsim::hw
