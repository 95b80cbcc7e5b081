#include "kbsim/sim/windows.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"

#include "report.hpp"

namespace kbsim {

using Stop = detail::Scheduler::Stop;

namespace {

// A ticket's fields; see Windows::ticket_.
constexpr std::uint64_t kOver = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostProcesses = 0xffff;
std::uint64_t taken(std::uint64_t ticket) { return ticket & 0xffff; }
std::uint64_t all(std::uint64_t ticket) { return ticket >> 16 & 0xffff; }
std::uint64_t ticket_of(std::uint64_t window, std::uint64_t processes) {
  return (window & 0x7fff'ffff) << 32 | processes << 16;
}

// Threads that are awake meet in less than a microsecond, one that sleeps comes late and costs its waker
// more.
constexpr int kSpins = 2000;

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Of a clock that is read in a few nanoseconds, and ticks some times in each: to compare works by.
std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Blocks that this thread gives back are freed when it ends.
void keep_pool() { detail::Pool::free(detail::Pool::allocate(1), 1); }

// Until it isn't that ticket any more.
void wait_beyond(const std::atomic<std::uint64_t>& ticket, std::uint64_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (ticket.load(std::memory_order_acquire) != old) return;
    rest();
  }
  ticket.wait(old, std::memory_order_acquire);
}

// So many, or if the host gives no more, those that there are.
template <class Work>
void start(std::vector<std::jthread>& threads, std::size_t most, Work work) {
  try {
    while (threads.size() < most) threads.emplace_back(work);
  } catch (const std::system_error&) {}
}

constexpr std::size_t kNoProcess = std::numeric_limits<std::size_t>::max();
constinit thread_local std::size_t process_running = kNoProcess;

}  // namespace

std::optional<std::size_t> Windows::running() {
  return process_running == kNoProcess ? std::nullopt : std::optional{process_running};
}

Windows::Windows(std::vector<Simulation*> processes) {
  ensure(!processes.empty() && processes.size() <= kMostProcesses, "windows have processes");
  for (Simulation* const sim : processes) processes_.push_back({.sim = sim});
}

void Windows::set_lookahead(Time lookahead) {
  if (lookahead <= Time{0})
    throw UsageError{"processes side by side need a lookahead, got " + to_string(lookahead)};
  lookahead_ = lookahead;
}

void Windows::add(detail::AnyBorder& border) {
  borders_.push_back(&border);
  std::vector<detail::AnyBorder*>& from = processes_[border.to_].from;
  const auto behind = std::ranges::upper_bound(from, border.from_, {}, &detail::AnyBorder::from_);
  from.insert(behind, &border);
}

std::uint64_t Windows::events() const {
  std::uint64_t sum = 0;
  for (const Process& process : processes_) sum += process.sim->events();
  return sum;
}

void Windows::run(unsigned threads) {
  ensure(lookahead_ > Time{0}, "windows have a lookahead");
  begin();
  {
    std::vector<std::jthread> others;
    const std::size_t most = std::clamp<std::size_t>(threads, 1, processes_.size());
    start(others, most - 1, [this] { keep_pool(), work(); });
    threads_ = others.size() + 1;
    plan();
    work();
  }
  finish();
}

void Windows::begin() {
  given_up_ = nullptr;
  ticket_ = ticket_of(windows_, 0);
  stop_at_ = processes_.front().sim->scheduler_.limits().stop_at;
  for (Process& process : processes_) {
    ensure(!process.sim->is_running_, "run() isn't called by an event of its own");
    process.sim->is_running_ = true;
    process.sim->scheduler_.begin();
    process.next = process.sim->scheduler_.next();
    process.failed = false;
    process.thrown = nullptr;
  }
}

/// What a thread does until all is over: it takes a process of the window; who ends the last one plans the
/// next window. A thread that comes late finds nothing to take.
void Windows::work() {
  for (;;) {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    if (ticket == kOver) return;
    if (taken(ticket) == all(ticket)) {
      wait_beyond(ticket_, ticket);
      continue;
    }
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
    run_process(*busy_[taken(ticket)]);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) plan();
  }
}

// By one thread, while no other has anything to do: up to a window on which several may meet.
void Windows::plan() {
  while (next_window()) {
    if (pays()) {
      ++meetings_;
      left_.store(static_cast<std::uint32_t>(busy_.size()), std::memory_order_relaxed);
      ticket_.store(ticket_of(windows_, busy_.size()), std::memory_order_release);
      return ticket_.notify_all();
    }
    for (Process* const process : busy_) run_process(*process);
  }
  ticket_.store(kOver, std::memory_order_release);
  ticket_.notify_all();
}

bool Windows::pays() const {
  constexpr std::uint64_t kLeast = 3'000;  // ticks that other threads would take: what a meeting does
  std::uint64_t others = 0;
  for (std::size_t i = 1; i < busy_.size(); ++i) others += busy_[i]->load;
  return threads_ > 1 && others >= kLeast;
}

bool Windows::next_window() {
  if (!may_go_on()) return false;
  const Time begin = earliest();
  if (begin == kForever || begin > stop_at_) return false;
  ++windows_;
  end_ = lookahead_ < kForever - begin ? begin + lookahead_ : kForever;
  if (stop_at_ != kForever) end_ = std::min(end_, stop_at_ + 1_ps);
  choose_busy();
  return true;
}

bool Windows::may_go_on() {
  if (std::ranges::any_of(processes_, &Process::failed)) return false;
  constexpr std::uint64_t kLookEvery = 256;
  if (windows_ % kLookEvery != 0) return true;
  try {
    look();
    return true;
  } catch (...) {
    given_up_ = std::current_exception();
    return false;
  }
}

void Windows::look() const {
  constexpr std::uint64_t kLooksAtMemory = 64 * 256;
  tell_simulated(end_, events());
  const std::string now = to_string(latest());
  if (stop_signal() != 0)
    throw Interrupted{"interrupted; simulated time stands at " + now + ", after " + std::to_string(events()) +
                      " events"};
  if (windows_ % kLooksAtMemory != 0 || resident_memory() <= memory_limit()) return;
  throw LimitError{"stopped at " + now + " after " + std::to_string(events()) + " events: kbsim holds " +
                       about(resident_memory()) + " of memory, the limit is " + about(memory_limit()) +
                       " (--max-memory)",
                   waiting()};
}

Time Windows::earliest() const {
  Time least = kForever;
  for (const Process& process : processes_) least = std::min(least, process.next);
  for (const detail::AnyBorder* border : borders_) least = std::min(least, border->first());
  return least;
}

// Those with an event in the window, or to which something is to be delivered.
void Windows::choose_busy() {
  busy_.clear();
  for (Process& process : processes_) {
    const bool is_told =
        std::ranges::any_of(process.from, [](const auto* border) { return border->first() != kForever; });
    if (process.next < end_ || is_told) busy_.push_back(&process);
  }
  for (detail::AnyBorder* border : borders_) border->begin_window();
  std::ranges::sort(busy_, std::greater{}, &Process::load);
}

void Windows::run_process(Process& process) const {
  Simulation& sim = *process.sim;
  const std::uint64_t before = ticks();
  process_running = static_cast<std::size_t>(&process - processes_.data());
  try {
    for (detail::AnyBorder* border : process.from) border->deliver();
    process.failed = sim.scheduler_.run_before(end_) != Stop::idle || sim.failure_.has_value();
  } catch (...) {
    process.failed = true;
    process.thrown = std::current_exception();
  }
  process_running = kNoProcess;
  process.next = sim.scheduler_.next();
  process.load = ticks() - before;
}

Time Windows::latest() const {
  Time latest{};
  for (const Process& process : processes_) latest = std::max(latest, process.sim->now());
  return latest;
}

std::vector<Waiting> Windows::waiting() const {
  std::vector<const detail::List*> lists;
  for (const Process& process : processes_) lists.push_back(&process.sim->processes_);
  return detail::waiting_among(lists);
}

Windows::Process* Windows::first_failed() {
  Process* first = nullptr;
  for (Process& process : processes_) {
    if (process.failed && (first == nullptr || process.sim->now() < first->sim->now())) first = &process;
  }
  return first;
}

void Windows::finish() {
  for (const Process& process : processes_) {
    process.sim->is_running_ = false;
    process.sim->scheduler_.running(nullptr);
  }
  if (Process* const failed = first_failed()) {
    if (failed->thrown) std::rethrow_exception(failed->thrown);
    if (failed->sim->failure_) failed->sim->rethrow_failure();
    failed->sim->check(Stop::one_time);
  }
  if (given_up_) std::rethrow_exception(given_up_);
  require_finished();
}

void Windows::require_finished() {
  const Time now = latest();
  for (const Process& process : processes_) process.sim->scheduler_.pass(now);
  if (earliest() != kForever)
    throw LimitError{"stopped at " + to_string(stop_at_) + ", the limit that was set", waiting()};
  const bool done =
      std::ranges::all_of(processes_, [](const Process& one) { return one.sim->unfinished_ == 0; });
  if (!done) throw DeadlockError{now, waiting()};
}

}  // namespace kbsim
