#include "kbsim/sim/windows.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

#include "window_graph.hpp"
#include "window_plan.hpp"
#include "window_stops.hpp"
#include "window_threads.hpp"

namespace kbsim {

using detail::WindowProcess;

struct Windows::Parts {
  explicit Parts(const std::vector<Simulation*>& processes) : graph{processes} {}
  detail::WindowGraph graph;
  detail::WindowStops stops{graph};
  detail::WindowPlan plan{graph, stops};
  detail::WindowThreads threads{graph, plan};
};

Windows::Windows(const std::vector<Simulation*>& processes) : parts_{std::make_unique<Parts>(processes)} {}
Windows::~Windows() = default;

detail::WindowGraph& Windows::graph() const { return parts_->graph; }

void Windows::set_lookahead(Time lookahead) { parts_->graph.set_lookahead(lookahead); }
Time Windows::lookahead() const { return parts_->graph.least_lookahead(); }

void Windows::force_meetings(bool always) { parts_->threads.force(always); }
std::optional<std::size_t> Windows::running() { return WindowProcess::running(); }

std::uint64_t Windows::events() const { return parts_->graph.events(); }
std::uint64_t Windows::windows() const { return parts_->plan.windows(); }
std::uint64_t Windows::meetings() const { return parts_->threads.meetings(); }

void Windows::run(unsigned threads) {
  parts_->stops.begin();
  parts_->plan.begin();
  parts_->threads.run(std::clamp<std::size_t>(threads, 1, parts_->graph.processes.size()));
  finish();
}

namespace {

const WindowProcess* first_failed(const std::vector<WindowProcess>& processes) {
  const WindowProcess* first = nullptr;
  for (const WindowProcess& process : processes) {
    if (process.report.failed && (first == nullptr || process.failed_at() < first->failed_at()))
      first = &process;
  }
  return first;
}

}  // namespace

void Windows::finish() {
  const detail::WindowGraph& graph = parts_->graph;
  for (const WindowProcess& process : graph.processes) process.end();
  if (const WindowProcess* const failed = first_failed(graph.processes)) failed->throw_failure();
  parts_->stops.rethrow();
  const Time now = graph.latest();
  for (const WindowProcess& process : graph.processes) process.sim->scheduler().pass(now);
  if (parts_->plan.is_stopped())
    throw LimitError{"stopped at " + to_string(parts_->plan.stop_at()) + ", the limit that was set",
                     graph.waiting()};
  if (std::ranges::any_of(graph.processes, &WindowProcess::is_unfinished))
    throw DeadlockError{now, graph.waiting()};
}

}  // namespace kbsim
