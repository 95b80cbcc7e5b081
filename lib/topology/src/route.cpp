#include "kbsim/topology/route.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

using Path = std::vector<NodeId>;

// Where a router stands: on the NOC of a cube, or (cube -1) on the IO NOC, whose row is -1.
struct Spot {
  int sip;
  int cube;
  int row;
  int column;
};

[[noreturn]] void refuse(const Node& node) { throw InternalError{node.name + " is no end of a route"}; }

const SipNodes& package_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.at.sip < 0) refuse(node);
  return graph.sips()[static_cast<std::size_t>(node.at.sip)];
}

// From a node up to the router by which it meets the fabric.
Path access(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const SipNodes& sip = package_of(graph, id);
  switch (node.kind) {
    case NodeKind::router: return {id};
    case NodeKind::pcie_ep:
    case NodeKind::io_cpu: return {id, sip.io_noc.front()};
    case NodeKind::pe_cpu:
    case NodeKind::pe_dma: return {id, graph.pe(node.at).router};
    case NodeKind::pe_mmu: return {id, graph.pe(node.at).cpu, graph.pe(node.at).router};
    case NodeKind::pe_tcm:
    case NodeKind::pe_ipcq: return {id, graph.pe(node.at).dma, graph.pe(node.at).router};
    case NodeKind::hbm_ctrl:
      return {id, graph.cube(node.at.sip, node.at.cube).xbar, graph.pe(node.at).router};
    case NodeKind::m_cpu:
    case NodeKind::sram:
    case NodeKind::endpoint: return {id, graph.link(graph.out(id).front()).to};
    default: refuse(node);
  }
}

class Walk {
 public:
  Walk(const Graph& graph, const SipGrid& grid, NodeId router)
      : graph_{graph}, grid_{grid}, spec_{graph.spec()}, at_{spot(router)} {}

  Path to(NodeId router) {
    const Spot goal = spot(router);
    while (at_.sip != goal.sip) leave_sip(grid_.next_side(at_.sip, goal.sip));
    if (at_.cube != goal.cube) cross_cubes(goal);
    walk_noc(goal.row, goal.column);
    return std::move(path_);
  }

 private:
  [[nodiscard]] Spot spot(NodeId router) const {
    const Node& node = graph_.node(router);
    const SipNodes& sip = graph_.sips()[static_cast<std::size_t>(node.at.sip)];
    const bool io = node.at.cube < 0;
    const auto& row_major = io ? sip.io_noc : sip.cubes[static_cast<std::size_t>(node.at.cube)].noc;
    const auto i = static_cast<int>(std::ranges::find(row_major, router) - row_major.begin());
    if (io) return {node.at.sip, -1, -1, i};
    return {node.at.sip, node.at.cube, i / spec_.cube.noc.w, i % spec_.cube.noc.w};
  }

  [[nodiscard]] const SipNodes& sip() const { return graph_.sips()[static_cast<std::size_t>(at_.sip)]; }
  [[nodiscard]] int mesh_column() const {
    return at_.cube < 0 ? at_.column : at_.cube % spec_.sip.cube_mesh.w;
  }
  [[nodiscard]] int mesh_row() const { return at_.cube < 0 ? -1 : at_.cube / spec_.sip.cube_mesh.w; }

  void visit(NodeId node) { path_.push_back(node); }

  // X, then Y, over the routers of the present NOC; not the one where it stands.
  void walk_noc(int row, int column) {
    const auto visit_here = [this] {
      const auto column_index = static_cast<std::size_t>(at_.column);
      if (at_.cube < 0) return visit(sip().io_noc[column_index]);
      const auto cell = static_cast<std::size_t>(at_.row * spec_.cube.noc.w + at_.column);
      visit(sip().cubes[static_cast<std::size_t>(at_.cube)].noc[cell]);
    };
    for (; at_.column != column; visit_here()) at_.column += column > at_.column ? 1 : -1;
    for (; at_.row != row; visit_here()) at_.row += row > at_.row ? 1 : -1;
  }
  void walk_to(NodeId router) {
    const Spot goal = spot(router);
    walk_noc(goal.row, goal.column);
  }

  // Through a port, its peer, and onto the router behind it.
  void cross(NodeId port, NodeId peer) {
    walk_to(graph_.link(graph_.out(port).front()).to);  // a port's first link leads to its own router
    visit(port);
    visit(peer);
    const NodeId router = graph_.link(graph_.out(peer).front()).to;
    visit(router);
    at_ = spot(router);
  }

  void leave_sip(Side side) {
    if (at_.cube >= 0) {
      const bool last = side == Side::east || side == Side::south;
      cross_cubes({at_.sip, -1, -1, last ? spec_.sip.cube_mesh.w - 1 : 0});
    }
    const int next = *grid_.neighbour(at_.sip, side);
    cross(sip().ports[index(side)],
          graph_.sips()[static_cast<std::size_t>(next)].ports[index(opposite(side))]);
  }

  // X, then Y, over the mesh of cubes with the IO NOC as its row -1.
  void cross_cubes(const Spot& goal) {
    const int w = spec_.sip.cube_mesh.w;
    const int column = goal.cube < 0 ? goal.column : goal.cube % w;
    const int row = goal.cube < 0 ? -1 : goal.cube / w;
    while (mesh_column() != column) step_x(column > mesh_column() ? Side::east : Side::west, column);
    while (mesh_row() != row) step_y(row > mesh_row() ? Side::south : Side::north);
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
  const SipGrid& grid_;
  const config::MachineSpec& spec_;
  Spot at_;
  Path path_;
};

bool is_pe_data(NodeKind kind) { return kind == NodeKind::pe_dma || kind == NodeKind::pe_tcm; }

bool same_cube(const Node& a, const Node& b) { return a.at.sip == b.at.sip && a.at.cube == b.at.cube; }

// The crossbar joins a PE to the HBM of its own cube; the NOC is not involved.
Path through_xbar(const Graph& graph, NodeId pe, NodeId hbm) {
  Path path = access(graph, pe);
  path.back() = graph.cube(graph.node(pe).at.sip, graph.node(pe).at.cube).xbar;
  path.push_back(hbm);
  return path;
}

Path reversed(Path path) {
  std::ranges::reverse(path);
  return path;
}

// The host is above all packages: through the switch to or from the package of `to`.
Path from_host(const Graph& graph, const SipGrid& grid, NodeId to) {
  if (to == graph.host()) return {to};
  const NodeId pcie_ep = package_of(graph, to).pcie_ep;
  Path result{graph.host(), graph.pcie_switch()};
  std::ranges::copy(path(graph, grid, pcie_ep, to), std::back_inserter(result));
  return result;
}

}  // namespace

std::vector<NodeId> path(const Graph& graph, const SipGrid& grid, NodeId from, NodeId to) {
  const Node& source = graph.node(from);
  const Node& target = graph.node(to);
  if (source.kind == NodeKind::host) return from_host(graph, grid, to);
  if (target.kind == NodeKind::host) {
    const NodeId pcie_ep = package_of(graph, from).pcie_ep;
    Path result = path(graph, grid, from, pcie_ep);
    result.insert(result.end(), {graph.pcie_switch(), to});
    return result;
  }
  if (same_cube(source, target) && is_pe_data(source.kind) && target.kind == NodeKind::hbm_ctrl) {
    return through_xbar(graph, from, to);
  }
  if (same_cube(source, target) && source.kind == NodeKind::hbm_ctrl && is_pe_data(target.kind)) {
    return reversed(through_xbar(graph, to, from));
  }

  Path up = access(graph, from);
  Path down = access(graph, to);
  const auto meet = std::ranges::find_first_of(up, down);  // both behind the same node
  if (meet != up.end()) {
    down.erase(std::ranges::find(down, *meet), down.end());
    up.erase(std::next(meet), up.end());
  } else {
    std::ranges::copy(Walk{graph, grid, up.back()}.to(down.back()), std::back_inserter(up));
    down.pop_back();
  }
  std::ranges::copy(reversed(std::move(down)), std::back_inserter(up));
  return up;
}

Route find_route(const Graph& graph, NodeId from, NodeId to) {
  const std::vector<NodeId> nodes = graph.routing()(graph, from, to);
  Route route;
  route.reserve(nodes.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    route.push_back(graph.link_between(nodes[i], nodes[i + 1]));
  }
  return route;
}

std::vector<std::uint8_t> phases(const Graph& graph, const Route& route) {
  std::vector<std::uint8_t> found;
  int axis = 0;
  std::uint8_t phase = 0;
  for (const LinkId id : route) {
    const Link& link = graph.link(id);
    if (link.axis != axis) phase = 0;
    if (link.wraps) phase = 1;
    axis = link.axis;
    found.push_back(phase);
  }
  return found;
}

const Route& Routes::operator()(NodeId from, NodeId to) {
  const std::uint64_t key = (std::uint64_t{from.value()} << 32) | to.value();
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  return found_.emplace(key, find_route(*graph_, from, to)).first->second;
}

}  // namespace kbsim::topology
