// A routing: Valiant's. A message goes to a router that is drawn for its pair first, then to its target, so
// that no pattern of traffic overloads a link that another leaves idle (Valiant and Brebner, STOC 1981). Each
// part goes along rows first; a loop between the two is cut off. Between NOCs it is kbsim's own.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <kbsim/topology/i_routing.hpp>
#include <kbsim/topology/router_grid.hpp>

namespace mine {
namespace {

using kbsim::NodeId;
namespace topology = kbsim::topology;

struct ValiantSpec {
  int seed = 0;
  static void describe(auto& f) { f.add("seed", &ValiantSpec::seed, "other routers between"); }
};

class Valiant final : public topology::IRouting {
 public:
  explicit Valiant(const ValiantSpec& spec) : seed_{static_cast<std::uint32_t>(spec.seed)} {}

  void walk(const topology::Graph& graph, NodeId from, NodeId to, std::vector<NodeId>& path) const override {
    const topology::RouterGrid noc{graph, from};
    if (!noc.contains(to)) return xy_->walk(graph, from, to, path);
    const NodeId between = noc.routers()[draw(from, to) % noc.routers().size()];
    std::vector<NodeId> nodes;
    if (between != from) xy_->walk(graph, from, between, nodes);
    if (between != to) xy_->walk(graph, between, to, nodes);
    cut_loops(from, nodes);
    path.insert(path.end(), nodes.begin(), nodes.end());
  }

 private:
  [[nodiscard]] std::uint32_t draw(NodeId from, NodeId to) const {
    const std::uint32_t mixed = ((from.value() ^ seed_) * 2654435761U) ^ (to.value() * 2246822519U);
    return mixed >> 8U;
  }

  // A node that comes again begins the route anew from there.
  static void cut_loops(NodeId from, std::vector<NodeId>& nodes) {
    std::vector<NodeId> route;
    for (const NodeId node : nodes) {
      const auto known = std::ranges::find(route, node);
      if (known != route.end()) {
        route.erase(known + 1, route.end());
      } else {
        route.push_back(node);
      }
      if (node == from) route.clear();
    }
    nodes = std::move(route);
  }

  std::uint32_t seed_;
  std::shared_ptr<const topology::IRouting> xy_ = topology::routings().at("builtin.xy").make({});
};
KBSIM_ROUTING("mine.valiant", Valiant, ValiantSpec, "by a router between that is drawn for each pair");

}  // namespace
}  // namespace mine
