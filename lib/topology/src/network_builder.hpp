#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/i_routing.hpp"
#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::topology {

/// Adds nodes and links to a graph.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(Graph graph) : graph_{std::move(graph)}, out_(graph_.nodes_.size()) {
    for (std::uint32_t i = 0; i < graph_.links_.size(); ++i)
      out_[graph_.links_[i].from.value()].push_back(LinkId{i});
  }
  explicit NetworkBuilder(std::shared_ptr<const config::MachineSpec> spec) { graph_.spec_ = std::move(spec); }

  NodeId add(std::string name, NodeKind kind, const ComponentSpec& model, Point pos, PeCoord at) {
    graph_.nodes_.push_back({.name = std::move(name),
                             .model = &model,
                             .pos_mm = pos,
                             .at = at,
                             .kind = kind,
                             .passes = kind == NodeKind::router || kind == NodeKind::ucie});
    out_.emplace_back();
    return NodeId{static_cast<std::uint32_t>(graph_.nodes_.size() - 1)};
  }
  NodeId add_endpoint(std::string name, Point pos = {}, PeCoord at = {.sip = -1, .cube = -1, .pe = -1}) {
    static const ComponentSpec kModel{.impl = "builtin.endpoint", .attrs = {}, .at = {}};
    return add(std::move(name), NodeKind::endpoint, kModel, pos, at);
  }

  /// Reserves memory for `times` as much as there is now.
  void expect(int times) {
    const auto all = static_cast<std::size_t>(times);
    constexpr std::size_t kMore = 64;
    graph_.nodes_.reserve(all * graph_.nodes_.size());
    out_.reserve(all * out_.size());
    graph_.links_.reserve(all * (graph_.links_.size() + kMore));
  }

  void reach(NodeId node, Access access) { graph_.nodes_[node.value()].access = access; }
  /// Joins an end of routes to its router.
  void attach(NodeId router, NodeId node, Bandwidth bandwidth, double length_mm) {
    join(node, router, bandwidth, length_mm);
    reach(node, {.up = router, .router = router});
  }

  void add_link(NodeId from, NodeId to, Bandwidth bandwidth, double length_mm) {
    const LinkId id{static_cast<std::uint32_t>(graph_.links_.size())};
    graph_.links_.push_back({.from = from,
                             .to = to,
                             .bandwidth = bandwidth,
                             .length_mm = length_mm,
                             .wire = from_ns(length_mm * graph_.spec().system.ns_per_mm)});
    out_[from.value()].push_back(id);
  }
  /// A link from chip to chip.
  void add_link(NodeId from, NodeId to, const config::ChipLinkSpec& wire) {
    add_link(from, to, wire.rate(), wire.length_mm);
    Link& link = graph_.links_.back();
    link.wire += wire.latency;
    if (wire.is_framed()) link.framing = &wire;
    if (wire.has_slots()) link.slots = &wire;
    if (!wire.store_and_forward) return;
    graph_.nodes_[from.value()].stores = true;
    graph_.nodes_[to.value()].stores = true;
  }
  /// Adds both directions of a wire.
  void join(NodeId a, NodeId b, Bandwidth bandwidth, double length_mm) {
    add_link(a, b, bandwidth, length_mm);
    add_link(b, a, bandwidth, length_mm);
  }
  void join(NodeId a, NodeId b, const config::ChipLinkSpec& wire) {
    add_link(a, b, wire);
    add_link(b, a, wire);
  }
  /// Joins an endpoint of traffic to its router: with `bandwidth` in each direction, unless `rates` differ.
  void join_endpoint(NodeId endpoint, NodeId router, Bandwidth bandwidth, const EndpointRates& rates) {
    add_link(endpoint, router, rates.injection.value_or(bandwidth), 0.0);
    add_link(router, endpoint, rates.ejection.value_or(bandwidth), 0.0);
  }
  /// The wire joined last runs along this axis; `wraps`: it closes a ring.
  void orient(int axis, bool wraps) {
    for (Link& link : std::span{graph_.links_}.last(2)) {
      link.axis = axis;
      link.wraps = wraps;
    }
    if (wraps) graph_.phases_ = 2;
  }
  /// The same for the link added last.
  void orient_link(int axis, bool wraps) {
    graph_.links_.back().axis = axis;
    graph_.links_.back().wraps = wraps;
    if (wraps) graph_.phases_ = 2;
  }
  /// All traffic has one class.
  void one_class() { graph_.classes_ = 1; }

  /// Whether a link leads from `a` to `b`.
  [[nodiscard]] bool is_joined(NodeId a, NodeId b) const {
    return std::ranges::any_of(out_[a.value()], [&](LinkId id) { return graph_.links_[id.value()].to == b; });
  }

  /// The graph without out(), which exists only after build().
  [[nodiscard]] const Graph& graph() const { return graph_; }
  Graph build() && {
    graph_.out_.clear();
    graph_.out_.reserve(graph_.links_.size());
    graph_.first_out_.clear();
    graph_.first_out_.reserve(out_.size() + 1);
    for (const std::vector<LinkId>& links : out_) {
      graph_.first_out_.push_back(static_cast<std::uint32_t>(graph_.out_.size()));
      graph_.out_.insert(graph_.out_.end(), links.begin(), links.end());
    }
    graph_.first_out_.push_back(static_cast<std::uint32_t>(graph_.out_.size()));
    graph_.out_to_.clear();
    graph_.out_to_.reserve(graph_.out_.size());
    for (const LinkId id : graph_.out_) graph_.out_to_.push_back(graph_.links_[id.value()].to);
    return std::move(graph_);
  }
  /// Builds with the routing of the machine's system, over this grid.
  Graph build(SipGrid grid) && {
    const ComponentSpec& chosen = graph_.spec().system.routing;
    const RoutingModel* model = routings().find(chosen.impl);
    if (model == nullptr) {
      throw ConfigError{
          chosen.at, "system.routing",
          fmt::format("unknown routing '{}'{}", chosen.impl, name_hint(chosen.impl, routings().names()))};
    }
    return std::move(*this).build(std::move(grid), model->make(chosen.attrs));
  }
  /// Builds with the given routing.
  Graph build(SipGrid grid, std::shared_ptr<const IRouting> routing) && {
    graph_.grid_ = std::move(grid);
    graph_.routing_ = std::move(routing);
    return std::move(*this).build();
  }

 protected:
  Graph graph_;

 private:
  std::vector<std::vector<LinkId>> out_;  // by node
};

}  // namespace kbsim::topology
