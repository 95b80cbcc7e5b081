// Packages are alike and joined at the ends of their IO NOCs, so a path between packages is the way up from a
// PE to such an end, from there to an end of the other's, and down. Only the PEs with the longest ways up
// and down, and the packages farthest apart, can be the ends of the longest path.
#include "kbsim/topology/longest_path.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <ranges>
#include <set>

#include "kbsim/topology/route.hpp"

namespace kbsim::topology {
namespace {

using Length = std::function<std::int64_t(NodeId from, NodeId to)>;

struct Pair {
  NodeId from;
  NodeId to;
  std::int64_t length = -1;
};

class Search {
 public:
  Search(const Graph& graph, Length length)
      : graph_{graph}, grid_{graph.grid()}, length_{std::move(length)} {}

  Pair find() {
    within_package();
    if (graph_.sips().size() > 1) between_packages();
    return best_;
  }

 private:
  void consider(NodeId from, NodeId to) {
    if (from == to) return;
    const std::int64_t length = length_(from, to);
    if (length > best_.length) best_ = {from, to, length};
  }

  void within_package() {
    for (const CubeNodes& a : graph_.sips().front().cubes) {
      for (const PeNodes& from : a.pes) {
        for (const CubeNodes& b : graph_.sips().front().cubes) {
          for (const PeNodes& to : b.pes) consider(from.dma, to.dma);
        }
      }
    }
  }

  // The PEs of package 0, as coordinates, with the longest ways from or to the ends of its IO NOC.
  template <class Way>
  [[nodiscard]] std::vector<PeCoord> outermost(Way way) const {
    const SipNodes& sip = graph_.sips().front();
    std::vector<PeCoord> result;
    for (const NodeId end : {sip.io_noc.front(), sip.io_noc.back()}) {
      std::pair<std::int64_t, PeCoord> longest{-1, {}};
      for (const CubeNodes& cube : sip.cubes) {
        for (const PeNodes& pe : cube.pes) {
          const std::int64_t length = way(pe.dma, end);
          if (length > longest.first) longest = {length, graph_.node(pe.dma).at};
        }
      }
      result.push_back(longest.second);
    }
    return result;
  }

  [[nodiscard]] NodeId dma(int sip, PeCoord pe) const { return graph_.pe({sip, pe.cube, pe.pe}).dma; }

  // Of a ring or grid its corners; of other networks any may be the end of a longest path.
  [[nodiscard]] std::set<int> outermost_packages() const {
    const config::SipsSpec& sips = graph_.spec().system.sips;
    if (config::is_grid(sips.topology) || sips.topology == config::SipTopology::ring_1d) {
      const int last_column = grid_.width() - 1;
      const int last_row = (grid_.height() - 1) * grid_.width();
      return {0, last_column, last_row, last_row + last_column};
    }
    const auto all = std::views::iota(0, sips.count);
    return {all.begin(), all.end()};
  }

  void between_packages() {
    const auto up = outermost([&](NodeId pe, NodeId end) { return length_(pe, end); });
    const auto down = outermost([&](NodeId pe, NodeId end) { return length_(end, pe); });
    for (const int from : outermost_packages()) {
      for (int to = 0; to < graph_.spec().system.sips.count; ++to) {
        if (to == from) continue;
        for (const PeCoord& source : up) {
          for (const PeCoord& target : down) consider(dma(from, source), dma(to, target));
        }
      }
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
  const std::vector<NodeId> nodes = path(graph, from, to);
  PathCost cost{.from = from, .to = to};
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Link& link = graph.link(graph.link_between(nodes[i], nodes[i + 1]));
    ++cost.hops;
    cost.overhead += overhead[nodes[i].value()];
    cost.wire += link.wire;
    cost.drain = std::max(cost.drain, serialization(size, link.bandwidth));
  }
  return cost;
}

std::optional<Farthest> farthest(const Graph& graph, const std::vector<Time>& overhead) {
  const auto cost = [&](NodeId from, NodeId to) { return path_cost(graph, overhead, from, to, 0_B); };
  const Pair by_hops = Search{graph, [&](NodeId from, NodeId to) { return cost(from, to).hops; }}.find();
  if (by_hops.length < 0) return std::nullopt;
  const Length latency = [&](NodeId from, NodeId to) { return cost(from, to).latency().count(); };
  const Pair slowest = Search{graph, latency}.find();
  return Farthest{
      .diameter = static_cast<int>(by_hops.length),
      .path = path_cost(graph, overhead, slowest.from, slowest.to, graph.spec().system.control_bytes)};
}

}  // namespace kbsim::topology
