// Dimension order at each level of a machine: on a cube's NOC, on the mesh of cubes (its row -1 is the IO
// NOC), and on the grid of packages. On a mesh no messages wait for each other in a cycle.
#include <algorithm>

#include "kbsim/topology/graph.hpp"

#include "../builtin_routings.hpp"
#include "../noc_walk.hpp"

namespace kbsim::topology {
namespace {

// The place of a router: on the NOC of a cube, or (cube -1) on the IO NOC, whose row is -1.
struct Spot {
  int sip;
  int cube;
  int row;
  int column;
};

class Walk {
 public:
  Walk(const Graph& graph, DimensionOrder order, NodeId from, NodeId to, std::vector<NodeId>& path)
      : graph_{graph},
        order_{order},
        spec_{graph.spec()},
        path_{path},
        network_{std::max(graph.network_of(from), graph.network_of(to))},
        at_{spot(from)},
        goal_{spot(to)} {}

  void go() {
    while (at_.sip != goal_.sip) leave_sip(goal_.sip);
    if (at_.cube != goal_.cube) cross_cubes(goal_);
    walk_noc(goal_.row, goal_.column);
  }

 private:
  [[nodiscard]] Spot spot(NodeId router) const {
    const Node& node = graph_.node(router);
    const SipNodes& sip = graph_.sips()[static_cast<std::size_t>(node.at.sip)];
    const bool io = node.at.cube < 0;
    const auto& row_major = io ? sip.io_noc : sip.cubes[static_cast<std::size_t>(node.at.cube)].noc;
    const auto is_at = [&](NodeId first) {
      return first.valid() && graph_.on_network(first, network_) == router;
    };
    const auto i = static_cast<int>(std::ranges::find_if(row_major, is_at) - row_major.begin());
    if (io) return {node.at.sip, -1, -1, i};
    return {node.at.sip, node.at.cube, i / spec_.cube.noc.w, i % spec_.cube.noc.w};
  }

  [[nodiscard]] const SipNodes& sip() const { return graph_.sips()[static_cast<std::size_t>(at_.sip)]; }
  [[nodiscard]] int mesh_column() const {
    return at_.cube < 0 ? at_.column : at_.cube % spec_.sip.cube_mesh.w;
  }
  [[nodiscard]] int mesh_row() const { return at_.cube < 0 ? -1 : at_.cube / spec_.sip.cube_mesh.w; }

  void visit(NodeId node) { path_.push_back(node); }

  template <class AlongX, class AlongY>
  void in_order(AlongX along_x, AlongY along_y) {
    if (order_ == DimensionOrder::xy) along_x();
    along_y();
    if (order_ == DimensionOrder::yx) along_x();
  }

  // Visits the routers of the present NOC, except the current one.
  void walk_noc(int row, int column) {
    if (at_.cube < 0) {
      for (; at_.column != column; visit(sip().io_noc[static_cast<std::size_t>(at_.column)]))
        at_.column += column > at_.column ? 1 : -1;
      return;
    }
    const int w = spec_.cube.noc.w;
    routers_.clear();
    NocWalk{spec_.cube.noc, graph_.plan(), network_}.walk(at_.row * w + at_.column, row * w + column, order_,
                                                          routers_);
    const std::vector<NodeId>& noc = sip().cubes[static_cast<std::size_t>(at_.cube)].noc;
    for (const int router : routers_)
      visit(graph_.on_network(noc[static_cast<std::size_t>(router)], network_));
    at_.row = row;
    at_.column = column;
  }
  [[nodiscard]] NodeId router_of(NodeId port) const {
    return graph_.on_network(graph_.node(port).access.up, network_);
  }
  void walk_to(NodeId router) {
    const Spot goal = spot(router);
    walk_noc(goal.row, goal.column);
  }

  // Through a port, its peer, and onto the router after it.
  void cross(NodeId port, NodeId peer) {
    walk_to(router_of(port));
    visit(port);
    enter(peer);
  }
  void enter(NodeId peer) {
    visit(peer);
    const NodeId router = router_of(peer);
    visit(router);
    at_ = spot(router);
  }

  // To the next package on the way, through the switches between.
  void leave_sip(int goal) {
    const SipNetwork& network = graph_.network();
    const std::size_t by = network.next_port(at_.sip, goal, order_);
    const SipPort* port = &network.ports(at_.sip)[by];
    if (at_.cube >= 0) cross_cubes({at_.sip, -1, -1, port->at_last_router ? spec_.sip.cube_mesh.w - 1 : 0});
    walk_to(router_of(sip().ports[by]));
    visit(sip().ports[by]);
    while (network.is_switch(port->peer)) {
      visit(graph_.switches()[network.switch_number(port->peer)]);
      const int here = port->peer;
      port = &network.ports(here)[network.next_port(here, goal, order_)];
    }
    enter(graph_.sips()[static_cast<std::size_t>(port->peer)].ports[port->peer_port]);
  }

  // Over the mesh of cubes with the IO NOC as its row -1.
  void cross_cubes(const Spot& goal) {
    const int w = spec_.sip.cube_mesh.w;
    const int column = goal.cube < 0 ? goal.column : goal.cube % w;
    const int row = goal.cube < 0 ? -1 : goal.cube / w;
    in_order(
        [&] {
          while (mesh_column() != column) step_x(column > mesh_column() ? Side::east : Side::west, column);
        },
        [&] {
          while (mesh_row() != row) step_y(row > mesh_row() ? Side::south : Side::north);
        });
  }

  void step_x(Side side, int column) {
    if (at_.cube < 0) return walk_noc(-1, column);
    cross_to_cube(side, at_.cube + (side == Side::east ? 1 : -1));
  }

  void step_y(Side side) {
    const int w = spec_.sip.cube_mesh.w;
    const auto column = static_cast<std::size_t>(mesh_column());
    const CubeNodes& top = sip().cubes[column];
    if (at_.cube < 0) return cross(sip().io_ucie[column], top.ucie[index(Side::north)]);
    if (at_.cube < w && side == Side::north)
      return cross(top.ucie[index(Side::north)], sip().io_ucie[column]);
    cross_to_cube(side, at_.cube + (side == Side::south ? w : -w));
  }

  void cross_to_cube(Side side, int next) {
    const std::vector<CubeNodes>& cubes = sip().cubes;
    cross(cubes[static_cast<std::size_t>(at_.cube)].ucie[index(side)],
          cubes[static_cast<std::size_t>(next)].ucie[index(opposite(side))]);
  }

  const Graph& graph_;
  DimensionOrder order_;
  const config::MachineSpec& spec_;
  std::vector<NodeId>& path_;
  int network_;  // of the cubes
  Spot at_;
  Spot goal_;
  std::vector<int> routers_;
};

class DimensionOrderRouting final : public IRouting {
 public:
  explicit DimensionOrderRouting(DimensionOrder order) : order_{order} {}

  void walk(const Graph& graph, NodeId from, NodeId to, std::vector<NodeId>& path) const override {
    if (!graph.sips().empty()) return Walk{graph, order_, from, to, path}.go();
    const auto visit = [&](int router) { path.emplace_back(static_cast<std::uint32_t>(router)); };
    graph.grid().walk(static_cast<int>(from.value()), static_cast<int>(to.value()), order_, visit);
  }

 private:
  DimensionOrder order_;
};

}  // namespace

RoutingModel dimension_order(DimensionOrder order) {
  const bool xy = order == DimensionOrder::xy;
  return {.doc = xy ? "dimension order: along the row, then along the column"
                    : "dimension order: along the column, then along the row",
          .fields = &fields_of<NoAttributes>(),
          .make = [order](const auto&) { return std::make_shared<const DimensionOrderRouting>(order); }};
}

}  // namespace kbsim::topology
