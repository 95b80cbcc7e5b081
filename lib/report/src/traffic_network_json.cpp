// A network without a machine, for a page's drawing.
#include <string>

#include <boost/json/array.hpp>

#include "kbsim/report/traffic_report.hpp"

namespace kbsim::report {

boost::json::object network_json(const topology::Graph& graph) {
  boost::json::array nodes;
  for (const topology::Node& node : graph.nodes()) {
    nodes.push_back({{"name", node.name},
                     {"endpoint", node.kind == topology::NodeKind::endpoint},
                     {"x_mm", node.pos_mm.x},
                     {"y_mm", node.pos_mm.y}});
  }
  boost::json::array links;
  for (const topology::Link& link : graph.links())
    links.push_back({{"from", link.from.value()}, {"to", link.to.value()}, {"wraps", link.wraps}});
  return {{"schema_version", 1}, {"nodes", std::move(nodes)}, {"links", std::move(links)}};
}

}  // namespace kbsim::report
