// Who runs a window: one thread, or those that meet.
//
// A thread has processes that it takes first, so that their data stays with it. Who ends the last one of a
// window plans the next. A thread that comes late, because the host runs something else on its core, finds
// nothing open: others have taken its processes.
#include <algorithm>
#include <limits>
#include <thread>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/windows.hpp"

#include "ticks.hpp"

namespace kbsim {

using detail::ticks;
using Stop = detail::Scheduler::Stop;

namespace {

constexpr std::uint32_t kOver = std::numeric_limits<std::uint32_t>::max();
// In ticks: what it takes a core to get the data of a process that another core had.
constexpr std::uint64_t kMove = 20'000;
// After so long a thread that hasn't come is likely to be asleep.
constexpr std::uint64_t kPatience = 20'000;
// Whoever sleeps must be woken, which takes as long.
constexpr std::uint64_t kSpin = 100'000;

constexpr std::size_t kNoProcess = std::numeric_limits<std::size_t>::max();
constinit thread_local std::size_t process_running = kNoProcess;

// Helpers look at it while its thread may be writing it.
std::uint64_t load_of(detail::WindowProcess& process) {
  return std::atomic_ref{process.load}.load(std::memory_order_relaxed);
}

std::uint32_t after(std::uint32_t round) { return round + 1 == kOver ? 1 : round + 1; }

}  // namespace

std::optional<std::size_t> Windows::running() {
  return process_running == kNoProcess ? std::nullopt : std::optional{process_running};
}

void Windows::begin_sharing(std::size_t threads) {
  threads_ = threads;
  spin_ = threads > std::max(1U, std::thread::hardware_concurrency()) ? 0 : kSpin;
  began_ = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i)
    homes_[i].store(static_cast<std::uint16_t>(i * threads / processes_.size()), std::memory_order_relaxed);
}

// By one thread, while no other has anything to do: up to a window that several share.
void Windows::plan() {
  for (;;) {
    const bool more = next_window();
    if (began_ != 0) worth_.took(ticks() - began_, events_ - events_then_);
    began_ = 0;
    if (!more) break;
    if (first_looks_) run_first();
    if (may_meet()) {
      began_ = ticks();
      events_then_ = events_;
      if (worth_.shares()) return publish();
    }
    for (Process* const process : busy_) run_process(*process);
  }
  round_.store(kOver, std::memory_order_release);
  round_.notify_all();
}

// Before all others, which it may look into.
void Windows::run_first() {
  if (busy_.empty() || busy_.front() != processes_.data()) return;
  run_process(*busy_.front());
  busy_.clear();
  for (Process& process : processes_) {
    const bool is_first = &process == processes_.data();
    if (!is_first && (is_busy(process) || !process.looks.empty())) busy_.push_back(&process);
  }
}

// Others would have enough to do.
bool Windows::may_meet() const {
  constexpr std::uint64_t kLeast = 3'000;  // ticks: what a meeting takes
  if (threads_ == 1 || busy_.size() < 2) return false;
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const Process* process : busy_) sum += process->load, most = std::max(most, process->load);
  return sum - most >= kLeast || worth_.is_forced();
}

void Windows::publish() {
  constexpr std::uint64_t kSettleEvery = 64;
  if (++meetings_ % kSettleEvery == 0) settle_homes();
  const std::uint32_t round = after(round_.load(std::memory_order_relaxed));
  left_.store(static_cast<std::uint32_t>(busy_.size()), std::memory_order_relaxed);
  for (Process* const process : busy_) process->open.store(round, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
}

// The heaviest process goes to the thread that has the least so far; they stay if little is gained.
void Windows::settle_homes() {
  std::vector<std::size_t> order(processes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::greater{}, [this](std::size_t i) { return processes_[i].load; });
  std::vector<std::uint64_t> now(threads_);
  std::vector<std::uint64_t> then(threads_);
  std::vector<std::uint16_t> homes(order.size());
  for (const std::size_t i : order) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(then) - then.begin());
    homes[i] = static_cast<std::uint16_t>(least);
    then[least] += processes_[i].load;
    now[homes_[i].load(std::memory_order_relaxed)] += processes_[i].load;
  }
  const std::uint64_t longest = std::ranges::max(now);
  if (std::ranges::max(then) + longest / 16 >= longest) return;
  for (const std::size_t i : order) homes_[i].store(homes[i], std::memory_order_relaxed);
}

void Windows::work(std::size_t thread) {
  for (;;) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (round == kOver) return;
    run_home(round, thread);
    help(round, kMove);
    wait_beyond(round);
  }
}

// Until there is something new to do; meanwhile it takes what those who are asleep would have taken.
void Windows::wait_beyond(std::uint32_t round) {
  const std::uint64_t since = ticks();
  bool helped = false;
  while (round_.load(std::memory_order_acquire) == round) {
    const std::uint64_t waited = ticks() - since;
    if (waited >= kPatience && !helped) {
      helped = true;
      help(round, 0);
    } else if (waited >= spin_ && helped) {
      return round_.wait(round, std::memory_order_acquire);
    }
    detail::rest();
  }
}

void Windows::run_home(std::uint32_t round, std::size_t thread) {
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (homes_[i].load(std::memory_order_relaxed) == thread && take(processes_[i], round)) ++done;
  }
  has_done(done);
}

// Those of others that nobody has taken, and that take so long at least.
void Windows::help(std::uint32_t round, std::uint64_t least) {
  if (left_.load(std::memory_order_relaxed) == 0) return;
  std::uint32_t done = 0;
  for (Process& process : processes_) {
    if (process.open.load(std::memory_order_acquire) == round && load_of(process) >= least &&
        take(process, round))
      ++done;
  }
  has_done(done);
}

void Windows::has_done(std::uint32_t processes) {
  if (processes > 0 && left_.fetch_sub(processes, std::memory_order_acq_rel) == processes) plan();
}

// Runs it if it is open in this round: so nobody plans another window meanwhile.
bool Windows::take(Process& process, std::uint32_t round) {
  if (process.open.load(std::memory_order_relaxed) != round) return false;
  if (!process.open.compare_exchange_strong(round, 0, std::memory_order_acq_rel)) return false;
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
  for (; done < process.looks.size() && process.looks[done].at < process.end; ++done) {
    const detail::WindowLook& one = process.looks[done];
    if (scheduler.run_before(one.at) != Stop::idle) return false;
    scheduler.pass(one.at);
    one.look();
  }
  process.looks.erase(process.looks.begin(), process.looks.begin() + static_cast<std::ptrdiff_t>(done));
  return true;
}

// To its end, or to when it may be answered to what it tells others meanwhile. False if it fails.
bool Windows::run_until_told(Process& process) {
  detail::Scheduler& scheduler = process.sim->scheduler_;
  for (Time next = process.next;;) {
    const bool at_once = process.round_trip >= process.end - next;
    if (scheduler.run_before(at_once ? process.end : next + process.round_trip) != Stop::idle) return false;
    if (at_once) return true;
    for (const detail::AnyBorder* const border : process.told)
      process.end = std::min(process.end, border->first_ + process.inward);
    next = scheduler.next();
    if (next >= process.end) return true;
  }
}

void Windows::run_process(Process& process) {
  Simulation& sim = *process.sim;
  const std::uint64_t before = ticks();
  process_running = static_cast<std::size_t>(&process - processes_.data());
  try {
    for (detail::AnyBorder* const border : process.comes) border->deliver();
    const bool looked = process.looks.empty() || run_looks(process);
    process.failed = !looked || !run_until_told(process) || sim.failure_.has_value();
  } catch (...) {
    process.failed = true;
    process.thrown = std::current_exception();
  }
  process_running = kNoProcess;
  process.comes.clear();
  process.next = sim.scheduler_.next();
  process.events = sim.events();
  const std::uint64_t load = process.load + (ticks() - before) / 4 - process.load / 4;
  std::atomic_ref{process.load}.store(load, std::memory_order_relaxed);
}

}  // namespace kbsim
