// A table for each target router: at every other router and port, the next node on the shortest route to it.
// Fewest hops first, then the least wire, then the link that was made first.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <queue>
#include <tuple>
#include <unordered_map>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/graph.hpp"

#include "../builtin_routings.hpp"

namespace kbsim::topology {
namespace {

using Table = std::vector<NodeId>;  // by node: the next one

struct Cost {
  std::int64_t hops = 0;
  std::int64_t wire_nm = 0;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

Cost over(const Link& link, const Cost& rest) {
  return {rest.hops + 1, rest.wire_nm + std::llround(1e6 * link.length_mm)};
}

using LinksInto = std::vector<std::vector<LinkId>>;  // by node

LinksInto links_into(const Graph& graph) {
  LinksInto into(graph.nodes().size());
  for (const auto& [i, link] : ranges::views::zip(ranges::views::iota(0U), graph.links()))
    into[link.to.value()].push_back(LinkId{i});
  return into;
}

// Dijkstra's algorithm from the goal backwards.
class Shortest {
 public:
  Shortest(const Graph& graph, const LinksInto& into, NodeId goal, int network)
      : graph_{graph}, into_{into}, network_{network}, cost_(graph.nodes().size()) {
    reach(goal, Cost{});
    while (!open_.empty()) {
      const auto [cost, id] = open_.top();
      open_.pop();
      if (cost == *cost_[id.value()]) expand(id, cost);
    }
  }

  // At each node the first of the links on a shortest route.
  [[nodiscard]] Table table() const {
    Table next(cost_.size());
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      if (!cost_[i] || cost_[i]->hops == 0) continue;
      for (const LinkId id : graph_.out(NodeId{i})) {
        const Link& link = graph_.link(id);
        const std::optional<Cost>& rest = cost_[link.to.value()];
        if (!rest || over(link, *rest) != *cost_[i]) continue;
        next[i] = link.to;
        break;
      }
    }
    return next;
  }

 private:
  void reach(NodeId id, const Cost& cost) {
    std::optional<Cost>& known = cost_[id.value()];
    if (known && *known <= cost) return;
    known = cost;
    open_.emplace(cost, id);
  }
  void expand(NodeId id, const Cost& cost) {
    for (const LinkId in : into_[id.value()]) {
      const Link& link = graph_.link(in);
      const Node& from = graph_.node(link.from);
      if (from.passes && (from.kind != NodeKind::router || is_of(link.from)))
        reach(link.from, over(link, cost));
    }
  }

  // A route stays on its network.
  [[nodiscard]] bool is_of(NodeId router) const {
    return graph_.node(router).at.cube < 0 || graph_.network_of(router) == network_;
  }

  const Graph& graph_;
  const LinksInto& into_;
  int network_;
  std::vector<std::optional<Cost>> cost_;
  std::priority_queue<std::pair<Cost, NodeId>, std::vector<std::pair<Cost, NodeId>>, std::greater<>> open_;
};

// Belongs to the graph that it was made for.
class TableRouting final : public IRouting {
 public:
  void walk(const Graph& graph, NodeId from, NodeId to, std::vector<NodeId>& path) const override {
    const Table& next = table(graph, to, std::max(graph.network_of(from), graph.network_of(to)));
    for (NodeId here = from; here != to;) {
      here = next[here.value()];
      ensure(here.valid(),
             [&] { return "no way from " + graph.node(from).name + " to " + graph.node(to).name; });
      path.push_back(here);
    }
  }

 private:
  // Made on first use; references stay valid.
  const Table& table(const Graph& graph, NodeId to, int network) const {
    const std::scoped_lock lock{mutex_};
    auto& tables = tables_[static_cast<std::size_t>(network)];
    const auto known = tables.find(to);
    if (known != tables.end()) return known->second;
    if (into_.empty()) into_ = links_into(graph);
    return tables.emplace(to, Shortest{graph, into_, to, network}.table()).first->second;
  }

  mutable std::mutex mutex_;
  mutable LinksInto into_;
  mutable std::array<std::unordered_map<NodeId, Table>, config::kMostNetworks> tables_;  // by network
};

}  // namespace

RoutingModel shortest_paths() {
  return {.doc = "tables of the shortest ways: fewest hops, then the least wire",
          .fields = &fields_of<NoAttributes>(),
          .make = [](const auto&) { return std::make_shared<const TableRouting>(); }};
}

}  // namespace kbsim::topology
