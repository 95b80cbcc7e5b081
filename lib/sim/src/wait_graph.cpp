#include "kbsim/sim/wait_graph.hpp"

#include <algorithm>
#include <span>

namespace kbsim {
namespace {

constexpr std::size_t kEdgesListed = 50;

// Depth first; what is left behind for good leads into no circle.
class Search {
 public:
  explicit Search(const WaitGraph& graph)
      : graph_{graph}, state_(graph.nodes.size()), out_(graph.nodes.size()) {
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
      out_[graph.edges[edge].from].push_back(edge);
  }

  std::vector<std::size_t> from(std::size_t start) {
    enter(start);
    while (!path_.empty()) {
      Step& here = path_.back();
      if (here.next == out_[here.node].size()) {
        state_[here.node] = State::left;
        path_.pop_back();
        continue;
      }
      const std::size_t to = graph_.edges[out_[here.node][here.next++]].to;
      if (state_[to] == State::on_path) return circle(to);
      enter(to);
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { fresh, on_path, left };
  struct Step {
    std::size_t node;
    std::size_t next = 0;  // of its edges
  };

  void enter(std::size_t node) {
    if (state_[node] != State::fresh) return;
    state_[node] = State::on_path;
    path_.push_back({node});
  }

  [[nodiscard]] std::vector<std::size_t> circle(std::size_t node) const {
    std::vector<std::size_t> edges;
    const auto first = std::ranges::find(path_, node, &Step::node);
    for (auto step = first; step != path_.end(); ++step) edges.push_back(out_[step->node][step->next - 1]);
    return edges;
  }

  const WaitGraph& graph_;
  std::vector<State> state_;
  std::vector<std::vector<std::size_t>> out_;  // edges, by node
  std::vector<Step> path_;
};

std::string section(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + title + ":";
  for (const std::string& line : std::span{lines}.first(std::min(lines.size(), kEdgesListed)))
    text += "\n  " + line;
  if (lines.size() > kEdgesListed) text += "\n  and " + std::to_string(lines.size() - kEdgesListed) + " more";
  return text;
}

std::string line_of(const WaitGraph::Counters& counters) {
  std::string line = counters.of + ":";
  for (const auto& [name, value] : counters.values) line += " " + name + " " + std::to_string(value);
  return line;
}

}  // namespace

std::vector<std::size_t> find_cycle(const WaitGraph& graph) {
  Search search{graph};
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (auto cycle = search.from(node); !cycle.empty()) return cycle;
  }
  return {};
}

std::string to_string(const WaitGraph& graph) {
  const std::vector<std::size_t> cycle = find_cycle(graph);
  std::vector<std::string> circle;
  std::vector<std::string> others;
  std::vector<std::string> counters;
  for (const std::size_t edge : cycle) circle.push_back(graph.edges[edge].why);
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    if (std::ranges::find(cycle, edge) == cycle.end()) others.push_back(graph.edges[edge].why);
  }
  for (const WaitGraph::Unknown& unknown : graph.unknown) others.push_back(unknown.why);
  for (const WaitGraph::Node& node : graph.nodes) {
    for (const WaitGraph::Counters& one : node.counters) counters.push_back(line_of(one));
  }
  return section("cycle", circle) + section(circle.empty() ? "waits" : "other waits", others) +
         section("queues", counters);
}

}  // namespace kbsim
