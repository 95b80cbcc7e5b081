// Packages are alike and joined at the ends of their IO NOCs. So a path between packages goes up from a PE to
// such an end, to an end of the other package, and down. Only PEs with the longest paths up and down, in the
// packages farthest apart, can be the ends of the longest path.
#include "kbsim/topology/longest_path.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/topology/route.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

using Length = std::function<std::int64_t(NodeId from, NodeId to)>;

struct Pair {
  NodeId from;
  NodeId to;
  std::int64_t length = -1;
};

void consider(Pair& best, const Pair& pair) {
  if (pair.length > best.length) best = pair;
}

// The maximum over all pairs in the first package, by each measure.
struct Within {
  Pair hops;
  Pair latency;
};

// The DMAs of a package.
auto dmas(const SipNodes& sip) {
  return sip.cubes | views::transform(&CubeNodes::pes) | views::join | views::transform(&PeNodes::dma);
}

Within within_package(const Graph& graph, const std::vector<Time>& overhead) {
  const auto ends = dmas(graph.sips().front()) | ranges::to<std::vector>;
  Within best;
  for (const auto [from, to] : views::cartesian_product(ends, ends)) {
    if (from == to) continue;
    const PathCost cost = path_cost(graph, overhead, from, to, 0_B);
    consider(best.hops, {from, to, cost.hops});
    consider(best.latency, {from, to, cost.latency().count()});
  }
  return best;
}

class Search {
 public:
  // `within` is the best pair of the first package.
  Search(const Graph& graph, const Pair& within, Length length)
      : graph_{graph}, grid_{graph.grid()}, length_{std::move(length)}, best_{within} {}

  Pair find() {
    if (graph_.sips().size() > 1) between_packages();
    return best_;
  }

 private:
  // The PEs of package 0, as coordinates, with the longest paths from or to the ends of its IO NOC.
  template <class LengthBetween>
  [[nodiscard]] std::vector<PeCoord> outermost(LengthBetween length_between) const {
    const SipNodes& sip = graph_.sips().front();
    std::vector<PeCoord> result;
    for (const NodeId end : {sip.io_noc.front(), sip.io_noc.back()}) {
      std::pair<std::int64_t, PeCoord> longest{-1, {}};
      for (const NodeId dma : dmas(sip)) {
        const std::int64_t length = length_between(dma, end);
        if (length > longest.first) longest = {length, graph_.node(dma).at};
      }
      result.push_back(longest.second);
    }
    return result;
  }

  [[nodiscard]] NodeId dma(int sip, PeCoord pe) const { return graph_.pe({sip, pe.cube, pe.pe}).dma; }

  // The corners of a ring or grid; in other networks, all packages.
  [[nodiscard]] std::set<int> outermost_packages() const {
    const config::SipsSpec& sips = graph_.spec().system.sips;
    if (config::is_grid(sips.topology) || sips.topology == config::SipTopology::ring_1d) {
      const int last_column = grid_.width() - 1;
      const int last_row = (grid_.height() - 1) * grid_.width();
      return {0, last_column, last_row, last_row + last_column};
    }
    return views::indices(sips.count) | ranges::to<std::set>;
  }

  void between_packages() {
    const auto up = outermost([&](NodeId pe, NodeId end) { return length_(pe, end); });
    const auto down = outermost([&](NodeId pe, NodeId end) { return length_(end, pe); });
    const auto begins = outermost_packages();
    const auto ends = views::indices(graph_.spec().system.sips.count);
    for (const auto& [from, to, source, target] : views::cartesian_product(begins, ends, up, down)) {
      if (to == from) continue;
      const NodeId begin = dma(from, source);
      const NodeId end = dma(to, target);
      consider(best_, {begin, end, length_(begin, end)});
    }
  }

  const Graph& graph_;
  const SipGrid& grid_;
  Length length_;
  Pair best_;
};

}  // namespace

PathCost path_cost(const Graph& graph, const std::vector<Time>& overhead, NodeId from, NodeId to,
                   Bytes size) {
  const std::vector<NodeId> nodes = path(graph, from, to, static_cast<int>(graph.spec().cube.noc.use.reads));
  PathCost cost{.from = from, .to = to};
  for (const auto [node, next] : views::zip(nodes, nodes | views::drop(1))) {
    const Link& link = graph.link(graph.link_between(node, next));
    ++cost.hops;
    cost.overhead += overhead[node.value()];
    cost.wire += link.wire;
    cost.drain = std::max(cost.drain, serialization(size, link.bandwidth));
  }
  return cost;
}

std::optional<Farthest> farthest(const Graph& graph, const std::vector<Time>& overhead) {
  const auto cost = [&](NodeId from, NodeId to) { return path_cost(graph, overhead, from, to, 0_B); };
  const Within within = within_package(graph, overhead);
  const Length hops = [&](NodeId from, NodeId to) { return cost(from, to).hops; };
  const Pair by_hops = Search{graph, within.hops, hops}.find();
  if (by_hops.length < 0) return std::nullopt;
  const Length latency = [&](NodeId from, NodeId to) { return cost(from, to).latency().count(); };
  const Pair slowest = Search{graph, within.latency, latency}.find();
  return Farthest{
      .diameter = static_cast<int>(by_hops.length),
      .path = path_cost(graph, overhead, slowest.from, slowest.to, graph.spec().system.control_bytes)};
}

}  // namespace kbsim::topology
