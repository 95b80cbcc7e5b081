#include "file_network.hpp"

#include <cstdlib>
#include <utility>

#include <range/v3/view/zip.hpp>

#include "builtin_routings.hpp"
#include "network_builder.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

// The file's own routes. Routers have the first ids.
class FileTable final : public IRouting {
 public:
  explicit FileTable(std::map<std::pair<int, int>, std::vector<int>> routes) : routes_{std::move(routes)} {}

  void walk(const Graph&, NodeId from, NodeId to, std::vector<NodeId>& path) const override {
    for (const int node : routes_.at({static_cast<int>(from.value()), static_cast<int>(to.value())}))
      path.emplace_back(static_cast<std::uint32_t>(node));
  }

 private:
  std::map<std::pair<int, int>, std::vector<int>> routes_;
};

std::shared_ptr<const IRouting> routing_of(const config::Net& net) {
  using enum config::NetRouting;
  switch (net.routing) {
    case shortest: return shortest_paths().make({});
    case xy: return dimension_order(DimensionOrder::xy).make({});
    case yx: return dimension_order(DimensionOrder::yx).make({});
    case table: break;
  }
  return std::make_shared<const FileTable>(net.ways);
}

SipGrid grid_of(const config::Net& net) {
  using enum config::SipTopology;
  config::SipsSpec spec;
  spec.count = net.w * net.h;
  spec.topology = net.wraps ? torus_2d : mesh_2d_no_wrap;
  spec.w = net.w;
  spec.h = net.h;
  return SipGrid{spec};
}

class FileNetwork {
 public:
  FileNetwork(const SharedSpec& spec, const config::Net& net, const EndpointRates& rates)
      : spec_{*spec}, net_{net}, rates_{rates}, builder_{spec} {
    builder_.one_class();
  }

  TrafficNetwork build() && {
    for (std::size_t i = 0; i < net_.nodes.size(); ++i) add_router(i);
    for (const int node : net_.endpoints)
      endpoints_.push_back(builder_.add_endpoint(net_.nodes[static_cast<std::size_t>(node)] + ".endpoint"));
    for (std::uint32_t i = 0; i < net_.nodes.size(); ++i) join(NodeId{i});
    const bool all = endpoints_.size() == net_.nodes.size();
    return {.graph = std::move(builder_).build(grid_of(net_), routing_of(net_)),
            .sources = endpoints_,
            .sinks = endpoints_,
            .w = all ? net_.w : static_cast<int>(endpoints_.size()),
            .h = all ? net_.h : 1,
            .service = net_.endpoint};
  }

 private:
  void add_router(std::size_t i) {
    const Point pos{static_cast<double>(static_cast<int>(i) % net_.w),
                    static_cast<double>(static_cast<int>(i) / net_.w)};
    const NodeId router =
        builder_.add(net_.nodes[i], NodeKind::router, spec_.cube.noc.router, pos, {-1, -1, -1});
    builder_.reach(router, {.router = router});
  }

  // A node's endpoint, then its links whose file entry names it first: the order of a bare grid.
  void join(NodeId node) {
    for (const auto& [endpoint, its_node] : views::zip(endpoints_, net_.endpoints)) {
      if (its_node != static_cast<int>(node.value())) continue;
      builder_.join_endpoint(endpoint, node, net_.endpoint, rates_);
      builder_.reach(endpoint, {.up = node, .router = node, .turns = true});
    }
    for (const config::Net::Wire& wire : net_.wires)
      if (wire.owner == static_cast<int>(node.value())) add(wire);
  }

  void add(const config::Net::Wire& wire) {
    builder_.add_link(NodeId{static_cast<std::uint32_t>(wire.from)},
                      NodeId{static_cast<std::uint32_t>(wire.to)}, wire.bandwidth, wire.length_mm);
    const int x = net_.columns_between(wire);
    const int y = net_.rows_between(wire);
    if (net_.routing == config::NetRouting::xy || net_.routing == config::NetRouting::yx)
      builder_.orient_link(y == 0 ? 0 : 1, std::abs(x) > 1 || std::abs(y) > 1);
  }

  const config::MachineSpec& spec_;
  const config::Net& net_;
  const EndpointRates& rates_;
  NetworkBuilder builder_;
  std::vector<NodeId> endpoints_;
};

}  // namespace

TrafficNetwork file_network(const SharedSpec& spec, const config::Net& net, const EndpointRates& rates) {
  return FileNetwork{spec, net, rates}.build();
}

}  // namespace kbsim::topology
