#include "window_threads.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <system_error>
#include <thread>

#include "kbsim/sim/detail/pool.hpp"

#include "ticks.hpp"
#include "watched_run.hpp"

namespace kbsim::detail {
namespace {

constexpr std::uint32_t kOver = std::numeric_limits<std::uint32_t>::max();
// In ticks: after this long, a thread that hasn't come is likely to be asleep.
constexpr std::uint64_t kPatience = 20'000;
// In ticks: waking a sleeping thread takes as long.
constexpr std::uint64_t kSpin = 100'000;

std::uint32_t after(std::uint32_t round) { return round + 1 == kOver ? 1 : round + 1; }

// Blocks that this thread gives back are freed when it ends.
void keep_pool() { Pool::free(Pool::allocate(1), 1); }

// Starts threads until there are `most`, or the host gives no more; of Asio's pool all start, or none.
template <class Work>
void start(std::vector<std::jthread>& threads, std::size_t most, Work work) {
  try {
    while (threads.size() < most) threads.emplace_back(work, threads.size() + 1);
  } catch (const std::system_error&) {}
}

}  // namespace

WindowThreads::WindowThreads(WindowGraph& graph, WindowPlan& plan)
    : processes_{graph.processes}, plan_{plan}, homes_{graph.processes} {}

void WindowThreads::run(std::size_t most) {
  begin(most);
  std::deque<WatchedRun> watched;
  for (WindowProcess& process : processes_)
    process.watched = &watched.emplace_back(reader_of(process.sim->scheduler()), false);
  std::vector<std::jthread> others;
  start(others, most - 1, [this](std::size_t thread) { keep_pool(), work(thread); });
  threads_ = others.size() + 1;
  if (threads_ < most) homes_.deal(1);  // until they settle
  plan(0);
  work(0);
}

void WindowThreads::begin(std::size_t threads) {
  threads_ = threads;
  round_ = 1;
  at_ = std::vector<Thread>(threads);
  spin_ = threads > std::max(1U, std::thread::hardware_concurrency()) ? 0 : kSpin;
  began_ = 0;
  homes_.deal(threads);
}

// Runs on one thread, while no other has anything to do, up to a window that several share.
void WindowThreads::plan(std::size_t thread) {
  for (;;) {
    const bool more = plan_.next();
    note_cost();
    if (!more) break;
    if (threads_ > 1 && worth_.shares() && may_meet(thread)) return publish();
    for (WindowProcess* const process : plan_.busy()) process->run();
  }
  round_.store(kOver, std::memory_order_release);
  round_.notify_all();
}

// Notes the cost of the last window and of the planning of the next one.
void WindowThreads::note_cost() {
  if (threads_ == 1) return;
  const std::uint64_t now = ticks();
  if (began_ != 0) worth_.took(now - began_, plan_.events() - events_then_);
  began_ = now;
  events_then_ = plan_.events();
}

// Whether other threads have enough to do in their own processes.
bool WindowThreads::may_meet(std::size_t thread) const {
  constexpr std::uint64_t kLeast = 3'000;  // ticks: what a meeting takes
  if (worth_.is_forced()) return plan_.busy().size() > 1;
  std::uint64_t elsewhere = 0;
  for (const WindowProcess* const process : plan_.busy()) {
    if (homes_.of(*process) != thread) elsewhere += process->report.load;
  }
  return elsewhere >= kLeast;
}

void WindowThreads::publish() {
  constexpr std::uint64_t kSettleEvery = 256;
  if (++meetings_ % kSettleEvery == 0) homes_.settle(threads_);
  const std::vector<WindowProcess*>& busy = plan_.busy();
  const std::uint32_t round = after(round_.load(std::memory_order_relaxed));
  const auto is_heavy = [](const WindowProcess* process) { return process->report.load >= kMove; };
  heavy_.store(std::ranges::any_of(busy, is_heavy), std::memory_order_relaxed);
  left_.store(static_cast<std::uint32_t>(busy.size()), std::memory_order_relaxed);
  for (WindowProcess* const process : busy) process->order.open.store(round, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
}

void WindowThreads::work(std::size_t thread) {
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
void WindowThreads::wait_beyond(std::uint32_t round, std::size_t thread) {
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
    rest();
  }
}

// The planning thread has written them, on another core.
void WindowThreads::fetch_home(std::size_t thread) const {
  for (const WindowProcess& process : processes_) {
    if (homes_.of(process) == thread) __builtin_prefetch(&process.order, 1);
  }
}

void WindowThreads::run_home(std::uint32_t round, std::size_t thread) {
  at_[thread].round.store(round, std::memory_order_relaxed);
  fetch_home(thread);
  std::uint32_t done = 0;
  for (WindowProcess& process : processes_) {
    if (homes_.of(process) == thread && take(process, round)) ++done;
  }
  has_done(done, thread);
}

// Takes processes that no thread has taken: their data change cores.
void WindowThreads::help(Help which, std::uint32_t round, std::size_t thread) {
  if (left_.load(std::memory_order_relaxed) == 0) return;
  std::uint32_t done = 0;
  for (WindowProcess& process : processes_) {
    if (process.order.open.load(std::memory_order_acquire) == round && is_helped(process, which, round) &&
        take(process, round))
      ++done;
  }
  has_done(done, thread);
}

bool WindowThreads::is_helped(WindowProcess& process, Help which, std::uint32_t round) const {
  if (which == Help::heavy) return process.load() >= kMove;
  return which == Help::any || at_[homes_.of(process)].round.load(std::memory_order_relaxed) != round;
}

void WindowThreads::has_done(std::uint32_t processes, std::size_t thread) {
  if (processes > 0 && left_.fetch_sub(processes, std::memory_order_acq_rel) == processes) plan(thread);
}

// Runs it if it is open in this round. Meanwhile no thread plans another window.
bool WindowThreads::take(WindowProcess& process, std::uint32_t round) {
  if (process.order.open.load(std::memory_order_relaxed) != round) return false;
  if (!process.order.open.compare_exchange_strong(round, 0, std::memory_order_acq_rel)) return false;
  process.run();
  return true;
}

}  // namespace kbsim::detail
