#include "kbsim/sim/wait_graph.hpp"

#include <algorithm>
#include <span>

#include "waiting_text.hpp"

namespace kbsim {
namespace {

constexpr std::size_t kEdgesListed = 50;

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

std::vector<std::string> whys_of(const WaitGraph& graph, const std::vector<std::size_t>& edges) {
  std::vector<std::string> whys;
  for (const std::size_t edge : edges) whys.push_back(graph.edges[edge].why);
  return whys;
}

// Ascending.
std::vector<std::size_t> joined(const std::vector<std::vector<std::size_t>>& cycles) {
  std::vector<std::size_t> all;
  for (const auto& cycle : cycles) all.insert(all.end(), cycle.begin(), cycle.end());
  std::ranges::sort(all);
  return all;
}

std::string cycles_text(const WaitGraph& graph) {
  const std::vector<std::vector<std::size_t>> cycles = find_cycles(graph);
  std::string text;
  for (std::size_t i = 0; i < cycles.size(); ++i)
    text += section(cycle_title(i, cycles.size()), whys_of(graph, cycles[i]));
  return text;
}

// Waits that aren't in a cycle, and all counters.
std::string rest_text(const WaitGraph& graph) {
  const std::vector<std::vector<std::size_t>> cycles = find_cycles(graph);
  const std::vector<std::size_t> in_cycles = joined(cycles);
  std::vector<std::string> others;
  std::vector<std::string> counters;
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    if (!std::ranges::binary_search(in_cycles, edge)) others.push_back(graph.edges[edge].why);
  }
  for (const WaitGraph::Unknown& unknown : graph.unknown) others.push_back(to_string(unknown));
  for (const WaitGraph::Node& node : graph.nodes) {
    for (const WaitGraph::Counters& one : node.counters) counters.push_back(line_of(one));
  }
  return section(cycles.empty() ? "waits" : "other waits", others) + section("queues", counters);
}

}  // namespace

std::string cycle_title(std::size_t number, std::size_t all) {
  return all == 1 ? "cycle" : "cycle " + std::to_string(number + 1) + " of " + std::to_string(all);
}

std::string to_string(const WaitGraph::Unknown& unknown) {
  return unknown.in.empty() ? unknown.why : unknown.why + "; it is in " + unknown.in;
}

std::string to_string(const WaitGraph& graph) { return cycles_text(graph) + rest_text(graph); }

DeadlockReport::DeadlockReport(const DeadlockError& found, WaitGraph graph, const std::string& more)
    : Error{found.exit_code(), detail::headline(found.at(), found.waiting()) + cycles_text(graph) +
                                   "\nprocesses:" + detail::lines(found.waiting()) + rest_text(graph) + more},
      at_{found.at()},
      waiting_{found.waiting()},
      graph_{std::move(graph)} {}

}  // namespace kbsim
