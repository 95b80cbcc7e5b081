#include "window_process.hpp"

#include <algorithm>
#include <limits>

#include "kbsim/base/error.hpp"

#include "ticks.hpp"

namespace kbsim::detail {

using Stop = Scheduler::Stop;

namespace {

constexpr std::size_t kNoProcess = std::numeric_limits<std::size_t>::max();
constinit thread_local std::size_t process_running = kNoProcess;

}  // namespace

std::optional<std::size_t> WindowProcess::running() {
  return process_running == kNoProcess ? std::nullopt : std::optional{process_running};
}

std::uint64_t WindowProcess::load() { return std::atomic_ref{report.load}.load(std::memory_order_relaxed); }

void WindowProcess::begin() {
  ensure(!sim->is_running_, "run() isn't called by an event of its own");
  sim->is_running_ = true;
  sim->scheduler_.budget().forget_interrupt();
  report.failed = false;
  thrown = nullptr;
}

void WindowProcess::end() const {
  sim->is_running_ = false;
  sim->scheduler_.running().set(nullptr);
}

void WindowProcess::run() {
  const std::uint64_t before = ticks();
  const std::uint64_t events = sim->events();
  bool failed = false;
  process_running = number;
  watched->enter();
  try {
    for (AnyBorder* const border : order.comes) border->deliver();
    failed = !run_until_end() || sim->failure_.has_value();
  } catch (...) {
    failed = true;
    thrown = std::current_exception();
  }
  watched->leave();
  process_running = kNoProcess;
  order.comes.clear();
  make_report(events, failed);
  note_work(ticks() - before);
}

// Runs to its end, or until an answer to its own posts can arrive. False if it fails.
bool WindowProcess::run_until_end() {
  Scheduler& scheduler = sim->scheduler_;
  Time end = order.end;
  for (Time next = order.next;;) {
    const bool at_once = round_trip >= end - next;
    if (scheduler.run_before(at_once ? end : next + round_trip) != Stop::idle) return false;
    if (at_once) return true;
    for (const AnyBorder* const border : posted_to) end = std::min(end, border->first_post() + inward);
    next = scheduler.next();
    if (next >= end) return true;
  }
}

void WindowProcess::make_report(std::uint64_t events_before, bool failed) {
  report.next = sim->scheduler_.next();
  report.events = sim->events() - events_before;
  report.failed = failed;
  report.posts.clear();
  for (AnyBorder* const border : posted_to)
    report.posts.push_back({.first = border->take_first_post(), .border = border});
  posted_to.clear();
}

// A window in which the host did something else counts little.
void WindowProcess::note_work(std::uint64_t took) {
  const std::uint64_t work = std::min(took, 8 * report.load + kMove);
  report.work += work;
  std::atomic_ref{report.load}.store(report.load + work / 4 - report.load / 4, std::memory_order_relaxed);
}

// Its time may stand at the event after the one that failed.
Time WindowProcess::failed_at() const { return sim->failure_ ? sim->failure_->at : sim->now(); }

void WindowProcess::throw_failure() const {
  if (thrown) std::rethrow_exception(thrown);
  sim->check(Stop::one_time);
}

bool WindowProcess::is_unfinished() const { return sim->unfinished_ > 0; }
const List& WindowProcess::processes() const { return sim->processes_; }

}  // namespace kbsim::detail
