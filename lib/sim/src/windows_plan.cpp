// Plans the next window: which processes are busy in it, and until when.
#include <algorithm>
#include <chrono>
#include <utility>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/sim/windows.hpp"

namespace kbsim {
namespace {

Time plus(Time at, Time by) { return at < kForever - by ? at + by : kForever; }

std::int64_t milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

bool Windows::next_window() {
  hear();
  if (!may_go_on()) return false;
  const auto first = std::ranges::min_element(standing_, {}, &detail::WindowStanding::next);
  const Time begin = first->next;
  if (begin == kForever || begin > std::min(stop_at_, failed_at_)) return false;
  ++windows_;
  parity_ = 1 - parity_;
  set_ends(static_cast<std::size_t>(first - standing_.begin()));
  choose_busy();
  return true;
}

/// Reads the results of the last window. If processes fail, the others go on to the time of the first
/// failure.
void Windows::hear() {
  fetch_ahead();
  if (std::exchange(first_ran_, false)) busy_.insert(busy_.begin(), processes_.data());
  for (const Process* const process : busy_) hear(*process);
  for (const Process* const process : busy_) {
    for (const detail::WindowPost& post : process->report.posts) {
      detail::WindowStanding& to = standing_[post.border->to_];
      if (!to.failed) to.next = std::min(to.next, post.first);
      processes_[post.border->to_].order.comes.push_back(post.border);
    }
  }
  if (!first_looks_) return;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const std::vector<detail::WindowLook>& looks = processes_[i].looks;
    if (!looks.empty() && !standing_[i].failed)
      standing_[i].next = std::min(standing_[i].next, looks.front().at);
  }
}

// Prefetches at once all that other threads have written, since each comes from another core.
void Windows::fetch_ahead() const {
  for (const Process* const process : busy_) {
    __builtin_prefetch(&process->report);
    __builtin_prefetch(&process->order, 1);
  }
}

void Windows::hear(const Process& process) {
  detail::WindowStanding& standing = standing_[static_cast<std::size_t>(&process - processes_.data())];
  events_ += process.report.events;
  standing = {.next = process.report.next, .failed = process.report.failed};
  if (!standing.failed) return;
  standing.next = kForever;
  failed_at_ = std::min(failed_at_, failure_of(process));
}

/// An end follows from the earliest effects of all others, and of its own posts. The first process may run
/// until another posts to it, or may answer a post of its own: run_until_end().
void Windows::set_ends(std::size_t first) {
  const std::size_t count = processes_.size();
  const Time begin = standing_[first].next;
  const Time last = plus(std::min(stop_at_, failed_at_), 1_ps);
  std::ranges::fill(ends_, std::min(last, plus(begin, longest_)));
  for (std::size_t from = 0; from < count; ++from) {
    const Time next = standing_[from].next;
    if (next == kForever) continue;
    const Time own_end = ends_[from];
    const Time* const ways = &ways_[from * count];
    for (std::size_t to = 0; to < count; ++to) ends_[to] = std::min(ends_[to], plus(next, ways[to]));
    if (from == first) ends_[from] = own_end;
  }
  if (first_looks_) std::ranges::fill(ends_, std::ranges::min(ends_));
}

// It has an event in the window, or something is to be delivered to it.
bool Windows::is_busy(std::size_t process) const {
  const detail::WindowStanding& standing = standing_[process];
  return !standing.failed && (standing.next < ends_[process] || !processes_[process].order.comes.empty());
}

void Windows::choose_busy() {
  busy_.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (is_busy(i)) call(i);
  }
}

void Windows::call(std::size_t process) {
  detail::WindowOrder& order = processes_[process].order;
  order.next = standing_[process].next;
  order.end = ends_[process];
  busy_.push_back(&processes_[process]);
}

bool Windows::may_go_on() {
  constexpr std::uint64_t kLookEvery = 256;
  constexpr std::uint64_t kEvents = 1 << 16;
  if (windows_ % kLookEvery != 0 && events_ - looked_at_ < kEvents) return true;
  looked_at_ = events_;
  try {
    look();
    return true;
  } catch (...) {
    given_up_ = std::current_exception();
    return false;
  }
}

void Windows::look() {
  constexpr std::int64_t kBetweenLooksAtMemory = 20;
  report_simulated(latest(), events_);
  if (stop_signal() != 0)
    throw Interrupted{"interrupted; simulated time stands at " + to_string(latest()) + ", after " +
                      counted(events_, "event")};
  const std::int64_t now = milliseconds();
  if (now - memory_looked_ < kBetweenLooksAtMemory) return;
  memory_looked_ = now;
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  throw LimitError{"stopped at " + to_string(latest()) + " after " + counted(events_, "event") +
                       ": kbsim holds " + about(held) + " of memory, the limit is " + about(memory_limit()) +
                       " (--max-memory)",
                   waiting()};
}

}  // namespace kbsim
