#include "neighbours.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

std::vector<LiveLink*> links_to(Fabric& fabric, NodeId node) {
  const topology::Graph& graph = fabric.graph();
  std::vector<LiveLink*> found;
  for (const LinkId out : graph.out(node)) {
    for (const LinkId id : graph.out(graph.link(out).to)) {
      if (graph.link(id).to == node) found.push_back(&fabric.live(id));
    }
  }
  ensure(found.size() == fabric.inputs(node), "a node is joined by a link each way");
  return found;
}

bool all_take_time_to(Fabric& fabric, NodeId node) {
  return std::ranges::all_of(links_to(fabric, node),
                             [&fabric](const LiveLink* link) { return fabric.takes_time(*link); });
}

}  // namespace kbsim::hw
