#include "window_graph.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

#include "waiting_text.hpp"

namespace kbsim::detail {

WindowGraph::WindowGraph(const std::vector<Simulation*>& sims) : processes(sims.size()) {
  constexpr std::size_t kMost = 0xffff;
  ensure(!sims.empty() && sims.size() <= kMost, "windows have processes");
  for (std::size_t i = 0; i < sims.size(); ++i) {
    processes[i].sim = sims[i];
    processes[i].number = i;
  }
}

void WindowGraph::set_lookahead(Time all) {
  if (all <= Time{0}) throw UsageError{"processes side by side need a lookahead, got " + to_string(all)};
  lookahead = all;
  for (AnyBorder* const border : borders) border->set_lookahead(all);
}

Time WindowGraph::least_lookahead() const {
  Time least = borders.empty() ? lookahead : kForever;
  for (const AnyBorder* border : borders) least = std::min(least, border->lookahead());
  return least;
}

std::uint64_t WindowGraph::events() const {
  std::uint64_t sum = 0;
  for (const WindowProcess& process : processes) sum += process.sim->events();
  return sum;
}

Time WindowGraph::latest() const {
  Time latest{};
  for (const WindowProcess& process : processes) latest = std::max(latest, process.sim->now());
  return latest;
}

std::vector<Waiting> WindowGraph::waiting() const {
  std::vector<const List*> lists;
  for (const WindowProcess& process : processes) lists.push_back(&process.processes());
  return waiting_among(lists);
}

}  // namespace kbsim::detail
