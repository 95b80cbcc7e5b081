#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/take.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/report/deadlock_report.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

constexpr std::size_t kCyclesPrinted = 10;
constexpr std::size_t kLinesPrinted = 20;  // of a part of a cycle

std::string indented(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : std::span{lines}.first(std::min(lines.size(), kLinesPrinted)))
    text += "\n  " + line;
  if (lines.size() > kLinesPrinted) text += fmt::format("\n  and {} more", lines.size() - kLinesPrinted);
  return text;
}

// A text, and the processes that it covers.
struct Described {
  std::string text;
  std::set<std::string> processes;
};

void add_cycle(const WaitGraph& graph, const std::string& title, const std::vector<std::size_t>& cycle,
               Described* described) {
  std::vector<std::string> waits;
  std::vector<std::string> processes;
  for (const std::size_t edge : cycle) {
    waits.push_back(graph.edges[edge].why);
    const auto& waiting = graph.nodes[graph.edges[edge].from].waiting;
    if (!waiting) continue;
    processes.push_back(to_string(*waiting));
    described->processes.insert(waiting->process);
  }
  described->text += fmt::format("\n{}:{}{}", title, indented(waits), indented(processes));
}

Described cycles_of(const WaitGraph& graph, const std::vector<std::vector<std::size_t>>& cycles) {
  Described described;
  for (const auto& [i, cycle] : views::enumerate(cycles) | views::take(kCyclesPrinted))
    add_cycle(graph, cycle_title(i, cycles.size()), cycle, &described);
  if (cycles.size() > kCyclesPrinted)
    described.text += fmt::format("\nand {}", counted(cycles.size() - kCyclesPrinted, "more cycle"));
  return described;
}

// Processes that wait for none of the other waiting processes.
Described roots_of(const DeadlockReport& deadlock) {
  const WaitGraph& graph = deadlock.graph();
  std::set<std::string> for_others;
  std::vector<std::string> waits;
  for (const WaitGraph::Edge& edge : graph.edges) {
    if (!graph.nodes[edge.to].waiting)
      waits.push_back(edge.why);
    else if (graph.nodes[edge.from].waiting)
      for_others.insert(graph.nodes[edge.from].waiting->process);
  }
  for (const WaitGraph::Unknown& unknown : graph.unknown) waits.push_back(to_string(unknown));
  std::vector<std::string> processes;
  Described described;
  for (const Waiting& one : deadlock.waiting()) {
    if (for_others.contains(one.process)) continue;
    processes.push_back(to_string(one));
    described.processes.insert(one.process);
  }
  described.text =
      fmt::format("\nno cycle; these wait for what never comes:{}{}", indented(waits), indented(processes));
  return described;
}

std::string places_of(const Waiting& waiting) {
  std::string text;
  for (const Place& place : waiting.at) text += to_string(place) + "\n";
  return text;
}

// Host programs that wait for a call of theirs; of several at one line only the first.
void add_callers(const WaitGraph& graph, Described* described) {
  std::map<std::string, std::size_t> lines_at;
  std::vector<std::pair<std::string, std::size_t>> callers;  // the first, and the number of others there
  for (const WaitGraph::Node& node : graph.nodes) {
    if (!node.calls || !node.waiting || !described->processes.insert(node.waiting->process).second) continue;
    const auto [line, fresh] = lines_at.try_emplace(places_of(*node.waiting), callers.size());
    if (fresh)
      callers.emplace_back(to_string(*node.waiting), 0);
    else
      ++callers[line->second].second;
  }
  if (callers.empty()) return;
  std::vector<std::string> lines;
  for (const auto& [first, more] : callers)
    lines.push_back(more == 0 ? first : fmt::format("{}; {} more there", first, more));
  described->text += "\nhost programs:" + indented(lines);
}

}  // namespace

std::string to_text(const DeadlockReport& deadlock, bool verbose) {
  if (verbose) return deadlock.what();
  const std::size_t all = deadlock.waiting().size();
  const auto cycles = find_cycles(deadlock.graph());
  Described described = cycles.empty() ? roots_of(deadlock) : cycles_of(deadlock.graph(), cycles);
  add_callers(deadlock.graph(), &described);
  const auto others = std::ranges::count_if(
      deadlock.waiting(), [&](const Waiting& one) { return !described.processes.contains(one.process); });
  const std::string rest = others == 0
                               ? "--verbose shows the queues"
                               : fmt::format("{} more wait{}: --verbose shows {} and the queues", others,
                                             others == 1 ? "s" : "", others == 1 ? "it" : "them");
  return fmt::format("deadlock at {}: nothing is left to happen, and {} process{}{}\n{}",
                     to_string(deadlock.at()), all, all == 1 ? " waits" : "es wait", described.text, rest);
}

}  // namespace kbsim::report
