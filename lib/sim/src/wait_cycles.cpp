#include <algorithm>
#include <deque>
#include <limits>

#include "kbsim/sim/wait_graph.hpp"

namespace kbsim {
namespace {

using Edges = std::vector<std::size_t>;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::vector<Edges> leaving_each_node(const WaitGraph& graph) {
  std::vector<Edges> leaving(graph.nodes.size());
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
    leaving[graph.edges[edge].from].push_back(edge);
  return leaving;
}

// Tarjan's strongly connected components; without recursion, since chains of waits may be long.
class Components {
 public:
  Components(const WaitGraph& graph, const std::vector<Edges>& leaving)
      : graph_{graph},
        leaving_{leaving},
        number_(graph.nodes.size(), kNone),
        low_(graph.nodes.size()),
        component_(graph.nodes.size(), kNone) {
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      if (number_[node] == kNone) visit(node);
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(std::size_t node) const { return component_[node]; }

 private:
  struct Step {
    std::size_t node;
    std::size_t next = 0;  // of its edges
  };

  void visit(std::size_t start) {
    enter(start);
    while (!path_.empty()) {
      if (path_.back().next < leaving_[path_.back().node].size())
        follow(path_.back());
      else
        leave();
    }
  }

  void enter(std::size_t node) {
    low_[node] = number_[node] = numbered_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void follow(Step& here) {
    const std::size_t to = graph_.edges[leaving_[here.node][here.next++]].to;
    if (number_[to] == kNone)
      enter(to);
    else if (component_[to] == kNone)
      low_[here.node] = std::min(low_[here.node], number_[to]);
  }

  void leave() {
    const std::size_t node = path_.back().node;
    path_.pop_back();
    if (low_[node] == number_[node]) close(node);
    if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
  }

  void close(std::size_t root) {
    for (std::size_t node = kNone; node != root; open_.pop_back()) {
      node = open_.back();
      component_[node] = count_;
    }
    ++count_;
  }

  const WaitGraph& graph_;
  const std::vector<Edges>& leaving_;
  std::vector<std::size_t> number_;  // in the order of entering
  std::vector<std::size_t> low_;     // the least number that a node is known to reach
  std::vector<std::size_t> component_;
  std::vector<std::size_t> open_;
  std::vector<Step> path_;
  std::size_t numbered_ = 0;
  std::size_t count_ = 0;
};

// Breadth first, within components.
class ShortestCycles {
 public:
  ShortestCycles(const WaitGraph& graph, const std::vector<Edges>& leaving, const Components& components)
      : graph_{graph}, leaving_{leaving}, components_{components}, by_(graph.nodes.size(), kNone) {}

  Edges through(std::size_t start) {
    for (std::deque<std::size_t> reached{start}; !reached.empty(); reached.pop_front()) {
      for (const std::size_t edge : leaving_[reached.front()]) {
        const std::size_t to = graph_.edges[edge].to;
        if (to == start) return cycle_ending_with(edge, start);
        if (components_.of(to) != components_.of(start) || by_[to] != kNone) continue;
        by_[to] = edge;
        reached.push_back(to);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] Edges cycle_ending_with(std::size_t last, std::size_t start) const {
    Edges edges{last};
    while (graph_.edges[edges.back()].from != start) edges.push_back(by_[graph_.edges[edges.back()].from]);
    std::ranges::reverse(edges);
    return edges;
  }

  const WaitGraph& graph_;
  const std::vector<Edges>& leaving_;
  const Components& components_;
  Edges by_;  // the edge by which a node was reached
};

}  // namespace

std::vector<std::vector<std::size_t>> find_cycles(const WaitGraph& graph) {
  const std::vector<Edges> leaving = leaving_each_node(graph);
  const Components components{graph, leaving};
  ShortestCycles shortest{graph, leaving, components};
  std::vector<bool> seen(components.count());
  std::vector<Edges> cycles;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (seen[components.of(node)]) continue;
    seen[components.of(node)] = true;
    if (Edges cycle = shortest.through(node); !cycle.empty()) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

std::vector<std::size_t> find_cycle(const WaitGraph& graph) {
  const std::vector<Edges> all = find_cycles(graph);
  return all.empty() ? Edges{} : all.front();
}

}  // namespace kbsim
