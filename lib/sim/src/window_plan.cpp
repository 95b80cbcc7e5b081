#include "window_plan.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"

namespace kbsim::detail {
namespace {

Time plus(Time at, Time by) { return at < kForever - by ? at + by : kForever; }

}  // namespace

WindowPlan::WindowPlan(WindowGraph& graph, WindowStops& stops)
    : graph_{graph}, stops_{stops}, ends_(graph.processes.size()), standing_(graph.processes.size()) {}

void WindowPlan::begin() {
  const Time lookahead = graph_.least_lookahead();
  ensure(lookahead > Time{0}, "windows have a lookahead");
  busy_.clear();
  events_ = graph_.events();
  routes_.find(graph_);
  longest_ = kLongest * lookahead;
  stop_at_ = graph_.processes.front().sim->scheduler().budget().limits().stop_at;
  failed_at_ = kForever;
  for (WindowProcess& process : graph_.processes) {
    process.begin();
    Standing& standing = standing_[process.number];
    const Time posted = process.order.comes.empty() ? kForever : standing.next;
    standing = {.next = std::min(posted, process.sim->scheduler().next())};
  }
}

bool WindowPlan::next() {
  read_reports();
  if (!stops_.may_go_on(windows_, events_)) return false;
  const auto first = std::ranges::min_element(standing_, {}, &Standing::next);
  const Time begin = first->next;
  if (begin == kForever || begin > std::min(stop_at_, failed_at_)) return false;
  ++windows_;
  graph_.parity = 1 - graph_.parity;
  set_ends(static_cast<std::size_t>(first - standing_.begin()));
  choose_busy();
  return true;
}

/// Reads the results of the last window. If processes fail, the others go on to the time of the first
/// failure.
void WindowPlan::read_reports() {
  fetch_ahead();
  for (const WindowProcess* const process : busy_) read_report(*process);
  for (const WindowProcess* const process : busy_) read_posts(*process);
}

// Prefetches at once all that other threads have written, since each comes from another core.
void WindowPlan::fetch_ahead() const {
  for (const WindowProcess* const process : busy_) {
    __builtin_prefetch(&process->report);
    __builtin_prefetch(&process->order, 1);
  }
}

void WindowPlan::read_report(const WindowProcess& process) {
  Standing& standing = standing_[process.number];
  events_ += process.report.events;
  standing = {.next = process.report.next, .failed = process.report.failed};
  if (!standing.failed) return;
  standing.next = kForever;
  failed_at_ = std::min(failed_at_, process.failed_at());
}

void WindowPlan::read_posts(const WindowProcess& process) {
  for (const WindowPost& post : process.report.posts) {
    Standing& to = standing_[post.border->to()];
    if (!to.failed) to.next = std::min(to.next, post.first);
    graph_.processes[post.border->to()].order.comes.push_back(post.border);
  }
}

/// An end follows from the earliest effects of all others, and of its own posts. The first process may run
/// until another posts to it, or may answer a post of its own: WindowProcess::run().
void WindowPlan::set_ends(std::size_t first) {
  const std::size_t count = ends_.size();
  const Time begin = standing_[first].next;
  const Time last = plus(std::min(stop_at_, failed_at_), 1_ps);
  std::ranges::fill(ends_, std::min(last, plus(begin, longest_)));
  for (std::size_t from = 0; from < count; ++from) {
    const Time next = standing_[from].next;
    if (next == kForever) continue;
    const Time own_end = ends_[from];
    const Time* const routes = routes_.from(from);
    for (std::size_t to = 0; to < count; ++to) ends_[to] = std::min(ends_[to], plus(next, routes[to]));
    if (from == first) ends_[from] = own_end;
  }
}

// It has an event in the window, or something is to be delivered to it.
bool WindowPlan::is_busy(std::size_t process) const {
  const Standing& standing = standing_[process];
  return !standing.failed &&
         (standing.next < ends_[process] || !graph_.processes[process].order.comes.empty());
}

void WindowPlan::choose_busy() {
  busy_.clear();
  for (std::size_t i = 0; i < standing_.size(); ++i) {
    if (is_busy(i)) call(i);
  }
}

void WindowPlan::call(std::size_t process) {
  WindowOrder& order = graph_.processes[process].order;
  order.next = standing_[process].next;
  order.end = ends_[process];
  busy_.push_back(&graph_.processes[process]);
}

bool WindowPlan::is_stopped() const {
  return std::ranges::any_of(standing_, [](const Standing& one) { return one.next != kForever; });
}

}  // namespace kbsim::detail
