#include "kbsim/topology/router_grid.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

std::vector<NodeId> routers_beside(const Graph& graph, NodeId router) {
  const PeCoord at = graph.node(router).at;
  if (!graph.sips().empty()) {
    if (at.cube < 0) return graph.sips()[static_cast<std::size_t>(at.sip)].io_noc;
    std::vector<NodeId> routers = graph.cube(at.sip, at.cube).noc;
    const int network = graph.network_of(router);
    for (NodeId& each : routers) each = each.valid() ? graph.on_network(each, network) : each;
    return routers;
  }
  std::vector<NodeId> all;
  const auto count = static_cast<std::uint32_t>(graph.grid().width() * graph.grid().height());
  for (std::uint32_t i = 0; i < count; ++i) all.emplace_back(i);
  return all;
}

int width_of(const Graph& graph, NodeId router, int count) {
  if (graph.sips().empty()) return graph.grid().width();
  return graph.node(router).at.cube < 0 ? count : graph.spec().cube.noc.w;
}

}  // namespace

RouterGrid::RouterGrid(const Graph& graph, NodeId router)
    : graph_{&graph},
      routers_{routers_beside(graph, router)},
      width_{width_of(graph, router, static_cast<int>(routers_.size()))} {}

bool RouterGrid::contains(NodeId router) const {
  return std::ranges::find(routers_, router) != routers_.end();
}

RouterGrid::Spot RouterGrid::of(NodeId router) const {
  const auto found = std::ranges::find(routers_, router);
  ensure(found != routers_.end(), [&] { return graph_->node(router).name + " is of another NOC"; });
  const auto number = static_cast<int>(found - routers_.begin());
  return {.column = number % width_, .row = number / width_};
}

// A bare network may wrap, and so may the NOC of a cube; in it there may be no link that way, and no router.
std::optional<NodeId> RouterGrid::neighbour(NodeId router, Side side) const {
  const auto [column, row] = of(router);
  if (graph_->sips().empty()) {
    const std::optional<int> next = graph_->grid().neighbour(row * width_ + column, side);
    return next ? std::optional{routers_[static_cast<std::size_t>(*next)]} : std::nullopt;
  }
  Spot next{.column = column + (side == Side::east   ? 1
                                : side == Side::west ? -1
                                                     : 0),
            .row = row + (side == Side::south   ? 1
                          : side == Side::north ? -1
                                                : 0)};
  if (graph_->node(router).at.cube >= 0 && graph_->spec().cube.noc.wrap) {
    next.column = (next.column + width_) % width_;
    next.row = (next.row + height()) % height();
  }
  const bool inside = next.column >= 0 && next.column < width_ && next.row >= 0 && next.row < height();
  if (!inside || !at(next).valid() || at(next) == router) return std::nullopt;
  const auto leads = [&](LinkId link) { return graph_->link(link).to == at(next); };
  return std::ranges::any_of(graph_->out(router), leads) ? std::optional{at(next)} : std::nullopt;
}

}  // namespace kbsim::topology
