// Runs a window, on one thread or on those that meet.
//
// A thread first takes its own processes, so that their data stays with it. The thread that ends the last one
// of a window plans the next. A thread that comes late, because the host runs something else on its core,
// finds nothing open: others have taken its processes.
#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/windows.hpp"

#include "ticks.hpp"

namespace kbsim {

using detail::ticks;
using Stop = detail::Scheduler::Stop;

namespace {

constexpr std::uint32_t kOver = std::numeric_limits<std::uint32_t>::max();
// In ticks: the time a core takes to get the data of a process that another core had.
constexpr std::uint64_t kMove = 60'000;
// In ticks: after this long, a thread that hasn't come is likely to be asleep.
constexpr std::uint64_t kPatience = 20'000;
// In ticks: waking a sleeping thread takes as long.
constexpr std::uint64_t kSpin = 100'000;

constexpr std::size_t kNoProcess = std::numeric_limits<std::size_t>::max();
constinit thread_local std::size_t process_running = kNoProcess;

// Helpers read it while its thread may be writing it.
std::uint64_t load_of(detail::WindowProcess& process) {
  return std::atomic_ref{process.report.load}.load(std::memory_order_relaxed);
}

std::uint32_t after(std::uint32_t round) { return round + 1 == kOver ? 1 : round + 1; }

}  // namespace

std::optional<std::size_t> Windows::running() {
  return process_running == kNoProcess ? std::nullopt : std::optional{process_running};
}

// Neighbouring processes are busy at one time, when a wave of work passes from one to the next. So they begin
// with different threads.
void Windows::begin_sharing(std::size_t threads) {
  threads_ = threads;
  at_ = std::vector<detail::WindowThread>(threads);
  spin_ = threads > std::max(1U, std::thread::hardware_concurrency()) ? 0 : kSpin;
  began_ = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i)
    homes_[i].store(static_cast<std::uint16_t>(i % threads), std::memory_order_relaxed);
}

// Runs on one thread, while no other has anything to do, up to a window that several share.
void Windows::plan(std::size_t thread) {
  for (;;) {
    const bool more = next_window();
    note_cost();
    if (!more) break;
    if (first_looks_) run_first();
    if (threads_ > 1 && worth_.shares() && may_meet(thread)) return publish();
    for (Process* const process : busy_) run_process(*process);
  }
  round_.store(kOver, std::memory_order_release);
  round_.notify_all();
}

// Notes the cost of the last window and of the planning of the next one.
void Windows::note_cost() {
  if (threads_ == 1) return;
  const std::uint64_t now = ticks();
  if (began_ != 0) worth_.took(now - began_, events_ - events_then_);
  began_ = now;
  events_then_ = events_;
}

// Runs the first process before all others, into which it may look.
void Windows::run_first() {
  if (busy_.empty() || busy_.front() != processes_.data()) return;
  run_process(*busy_.front());
  first_ran_ = true;
  busy_.clear();
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    if (is_busy(i) || !processes_[i].looks.empty()) call(i);
  }
}

// Whether other threads have enough to do in their own processes.
bool Windows::may_meet(std::size_t thread) const {
  constexpr std::uint64_t kLeast = 3'000;  // ticks: what a meeting takes
  if (worth_.is_forced()) return busy_.size() > 1;
  std::uint64_t elsewhere = 0;
  for (const Process* const process : busy_) {
    if (home(*process) != thread) elsewhere += process->report.load;
  }
  return elsewhere >= kLeast;
}

std::size_t Windows::home(const Process& process) const {
  return homes_[static_cast<std::size_t>(&process - processes_.data())].load(std::memory_order_relaxed);
}

void Windows::publish() {
  constexpr std::uint64_t kSettleEvery = 256;
  if (++meetings_ % kSettleEvery == 0) settle_homes();
  const std::uint32_t round = after(round_.load(std::memory_order_relaxed));
  const auto is_heavy = [](const Process* process) { return process->report.load >= kMove; };
  heavy_.store(std::ranges::any_of(busy_, is_heavy), std::memory_order_relaxed);
  left_.store(static_cast<std::uint32_t>(busy_.size()), std::memory_order_relaxed);
  for (Process* const process : busy_) process->order.open.store(round, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
}

void Windows::work(std::size_t thread) {
  for (;;) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (round == kOver) return;
    run_home(round, thread);
    if (heavy_.load(std::memory_order_relaxed)) help(Help::heavy, round, thread);
    wait_beyond(round, thread);
  }
}

// Waits until there is something new to do. Meanwhile takes the processes of threads that are asleep; after a
// long wait, all that are left.
void Windows::wait_beyond(std::uint32_t round, std::size_t thread) {
  const std::uint64_t since = ticks();
  const std::uint64_t most = std::max(spin_, kPatience);
  std::uint64_t patience = kPatience;
  while (round_.load(std::memory_order_acquire) == round) {
    const std::uint64_t waited = ticks() - since;
    if (waited >= most) {
      help(Help::any, round, thread);
      return round_.wait(round, std::memory_order_acquire);
    }
    if (waited >= patience) help(Help::of_absent, round, thread), patience = most;
    detail::rest();
  }
}

// The planning thread has written them, on another core.
void Windows::fetch_home(std::size_t thread) const {
  for (const Process& process : processes_) {
    if (home(process) == thread) __builtin_prefetch(&process.order, 1);
  }
}

void Windows::run_home(std::uint32_t round, std::size_t thread) {
  at_[thread].round.store(round, std::memory_order_relaxed);
  fetch_home(thread);
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (homes_[i].load(std::memory_order_relaxed) == thread && take(processes_[i], round)) ++done;
  }
  has_done(done, thread);
}

// Takes processes that no thread has taken: their data change cores.
void Windows::help(Help which, std::uint32_t round, std::size_t thread) {
  if (left_.load(std::memory_order_relaxed) == 0) return;
  std::uint32_t done = 0;
  for (Process& process : processes_) {
    if (process.order.open.load(std::memory_order_acquire) == round && is_helped(process, which, round) &&
        take(process, round))
      ++done;
  }
  has_done(done, thread);
}

bool Windows::is_helped(Process& process, Help which, std::uint32_t round) const {
  if (which == Help::heavy) return load_of(process) >= kMove;
  return which == Help::any || at_[home(process)].round.load(std::memory_order_relaxed) != round;
}

void Windows::has_done(std::uint32_t processes, std::size_t thread) {
  if (processes > 0 && left_.fetch_sub(processes, std::memory_order_acq_rel) == processes) plan(thread);
}

// Runs it if it is open in this round. Meanwhile no thread plans another window.
bool Windows::take(Process& process, std::uint32_t round) {
  if (process.order.open.load(std::memory_order_relaxed) != round) return false;
  if (!process.order.open.compare_exchange_strong(round, 0, std::memory_order_acq_rel)) return false;
  run_process(process);
  return true;
}

void Windows::look(std::size_t process, std::function<void()> look) {
  ensure(first_looks_ && process_running == 0 && process != 0, "the first process looks into others");
  processes_[process].looks.push_back({processes_.front().sim->now(), std::move(look)});
}

// False if it fails.
bool Windows::run_looks(Process& process) {
  detail::Scheduler& scheduler = process.sim->scheduler_;
  std::size_t done = 0;
  for (; done < process.looks.size() && process.looks[done].at < process.order.end; ++done) {
    const detail::WindowLook& one = process.looks[done];
    if (scheduler.run_before(one.at) != Stop::idle) return false;
    scheduler.pass(one.at);
    one.look();
  }
  process.looks.erase(process.looks.begin(), process.looks.begin() + static_cast<std::ptrdiff_t>(done));
  return true;
}

// Runs to its end, or until an answer to its own posts can arrive. False if it fails.
bool Windows::run_until_end(Process& process) {
  detail::Scheduler& scheduler = process.sim->scheduler_;
  Time end = process.order.end;
  for (Time next = process.order.next;;) {
    const bool at_once = process.round_trip >= end - next;
    if (scheduler.run_before(at_once ? end : next + process.round_trip) != Stop::idle) return false;
    if (at_once) return true;
    for (const detail::AnyBorder* const border : process.posted_to)
      end = std::min(end, border->first_ + process.inward);
    next = scheduler.next();
    if (next >= end) return true;
  }
}

void Windows::run_process(Process& process) {
  Simulation& sim = *process.sim;
  const std::uint64_t before = ticks();
  const std::uint64_t events = sim.events();
  bool failed = false;
  process_running = static_cast<std::size_t>(&process - processes_.data());
  process.watched->enter();
  try {
    for (detail::AnyBorder* const border : process.order.comes) border->deliver();
    const bool looked = process.looks.empty() || run_looks(process);
    failed = !looked || !run_until_end(process) || sim.failure_.has_value();
  } catch (...) {
    failed = true;
    process.thrown = std::current_exception();
  }
  process.watched->leave();
  process_running = kNoProcess;
  process.order.comes.clear();
  report(process, events, failed);
  note_work(process, ticks() - before);
}

// A window in which the host did something else counts little.
void Windows::note_work(Process& process, std::uint64_t took) {
  detail::WindowReport& report = process.report;
  const std::uint64_t work = std::min(took, 8 * report.load + kMove);
  report.work += work;
  std::atomic_ref{report.load}.store(report.load + work / 4 - report.load / 4, std::memory_order_relaxed);
}

void Windows::report(Process& process, std::uint64_t events_before, bool failed) {
  detail::WindowReport& report = process.report;
  report.next = process.sim->scheduler_.next();
  report.events = process.sim->events() - events_before;
  report.failed = failed;
  report.posts.clear();
  for (detail::AnyBorder* const border : process.posted_to)
    report.posts.push_back({.first = std::exchange(border->first_, kForever), .border = border});
  process.posted_to.clear();
}

}  // namespace kbsim
