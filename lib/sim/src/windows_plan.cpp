// Which window comes next: who has something to do in it, and until when.
#include <algorithm>
#include <chrono>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"
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
  const auto first = std::ranges::min_element(processes_, {}, &Process::next);
  const Time begin = first->next;
  if (begin == kForever || begin > std::min(stop_at_, failed_at_)) return false;
  ++windows_;
  parity_ = 1 - parity_;
  set_ends(static_cast<std::size_t>(first - processes_.begin()));
  choose_busy();
  return true;
}

/// What processes did in the last window: of those that fail the others go on to the time of the first.
void Windows::hear() {
  events_ = 0;
  for (Process& process : processes_) {
    events_ += process.events;
    if (!process.failed) continue;
    process.next = kForever;
    failed_at_ = std::min(failed_at_, failure_of(process));
  }
  for (Process& process : processes_) {
    for (detail::AnyBorder* const border : process.told) {
      Process& to = processes_[border->to_];
      if (!to.failed) to.next = std::min(to.next, border->first_);
      to.comes.push_back(border);
      border->first_ = kForever;
    }
    process.told.clear();
    if (!process.looks.empty() && !process.failed)
      process.next = std::min(process.next, process.looks.front().at);
  }
}

/// By what each may hear of all others, and of what it does itself. The first process may go on until
/// somebody else tells it something, or it tells somebody who may answer: run_until_told().
void Windows::set_ends(std::size_t first) {
  const std::size_t count = processes_.size();
  const Time begin = processes_[first].next;
  const Time last = plus(std::min(stop_at_, failed_at_), 1_ps);
  std::ranges::fill(ends_, std::min(last, plus(begin, longest_)));
  for (std::size_t from = 0; from < count; ++from) {
    const Time next = processes_[from].next;
    if (next == kForever) continue;
    const Time own_end = ends_[from];
    const Time* const ways = &ways_[from * count];
    for (std::size_t to = 0; to < count; ++to) ends_[to] = std::min(ends_[to], plus(next, ways[to]));
    if (from == first) ends_[from] = own_end;
  }
  if (first_looks_) std::ranges::fill(ends_, std::ranges::min(ends_));
  for (std::size_t i = 0; i < count; ++i) processes_[i].end = ends_[i];
}

// It has an event in the window, or something is to be delivered to it.
bool Windows::is_busy(const Process& process) {
  return !process.failed && (process.next < process.end || !process.comes.empty());
}

void Windows::choose_busy() {
  busy_.clear();
  for (Process& process : processes_) {
    if (is_busy(process)) busy_.push_back(&process);
  }
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
  tell_simulated(latest(), events_);
  if (stop_signal() != 0)
    throw Interrupted{"interrupted; simulated time stands at " + to_string(latest()) + ", after " +
                      std::to_string(events_) + " events"};
  const std::int64_t now = milliseconds();
  if (now - memory_looked_ < kBetweenLooksAtMemory) return;
  memory_looked_ = now;
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  throw LimitError{"stopped at " + to_string(latest()) + " after " + std::to_string(events_) +
                       " events: kbsim holds " + about(held) + " of memory, the limit is " +
                       about(memory_limit()) + " (--max-memory)",
                   waiting()};
}

}  // namespace kbsim
