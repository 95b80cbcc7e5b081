#include "kbsim/sim/windows.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <system_error>
#include <thread>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/detail/pool.hpp"

#include "waiting_text.hpp"
#include "watched_run.hpp"

namespace kbsim {

using Stop = detail::Scheduler::Stop;

namespace {

constexpr std::size_t kMostProcesses = 0xffff;

// Blocks that this thread gives back are freed when it ends.
void keep_pool() { detail::Pool::free(detail::Pool::allocate(1), 1); }

// Starts threads until there are `most`, or the host gives no more; of Asio's pool all start, or none.
template <class Work>
void start(std::vector<std::jthread>& threads, std::size_t most, Work work) {
  try {
    while (threads.size() < most) threads.emplace_back(work, threads.size() + 1);
  } catch (const std::system_error&) {}
}

}  // namespace

Windows::Windows(const std::vector<Simulation*>& processes)
    : processes_(processes.size()),
      ends_(processes.size()),
      standing_(processes.size()),
      homes_{std::make_unique<std::atomic<std::uint16_t>[]>(processes.size())} {
  ensure(!processes.empty() && processes.size() <= kMostProcesses, "windows have processes");
  for (std::size_t i = 0; i < processes.size(); ++i) processes_[i].sim = processes[i];
}

void Windows::set_lookahead(Time lookahead) {
  if (lookahead <= Time{0})
    throw UsageError{"processes side by side need a lookahead, got " + to_string(lookahead)};
  lookahead_ = lookahead;
  for (detail::AnyBorder* const border : borders_) border->set_lookahead(lookahead);
}

Time Windows::lookahead() const {
  Time least = borders_.empty() ? lookahead_ : kForever;
  for (const detail::AnyBorder* border : borders_) least = std::min(least, border->lookahead());
  return least;
}

void Windows::add(detail::AnyBorder& border) { borders_.push_back(&border); }

std::uint64_t Windows::events() const {
  std::uint64_t sum = 0;
  for (const Process& process : processes_) sum += process.sim->events();
  return sum;
}

void Windows::run(unsigned threads) {
  const std::size_t most = std::clamp<std::size_t>(threads, 1, processes_.size());
  begin();
  begin_sharing(most);
  std::deque<WatchedRun> watched;
  for (Process& process : processes_)
    process.watched = &watched.emplace_back(detail::reader_of(process.sim->scheduler_), false);
  {
    std::vector<std::jthread> others;
    start(others, most - 1, [this](std::size_t thread) { keep_pool(), work(thread); });
    threads_ = others.size() + 1;
    if (threads_ < most) {  // until settle_homes()
      for (std::size_t i = 0; i < processes_.size(); ++i) homes_[i].store(0, std::memory_order_relaxed);
    }
    plan(0);
    work(0);
  }
  finish();
}

void Windows::begin() {
  ensure(lookahead() > Time{0}, "windows have a lookahead");
  given_up_ = nullptr;
  round_ = 1;
  busy_.clear();
  events_ = events();
  join();
  longest_ = kLongest * lookahead();
  stop_at_ = processes_.front().sim->scheduler_.limits().stop_at;
  failed_at_ = kForever;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    ensure(!process.sim->is_running_, "run() isn't called by an event of its own");
    process.sim->is_running_ = true;
    process.sim->scheduler_.begin();
    const Time posted = process.order.comes.empty() ? kForever : standing_[i].next;
    standing_[i] = {.next = std::min(posted, process.sim->scheduler_.next())};
    process.report.failed = false;
    process.thrown = nullptr;
  }
}

// The shortest routes between processes, also over others. A route back to itself has at least two borders.
void Windows::join() {
  const std::size_t count = processes_.size();
  ways_.assign(count * count, kForever);
  for (const detail::AnyBorder* border : borders_) {
    Time& direct = way(border->from_, border->to_);
    direct = std::min(direct, border->lookahead_);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Process& process = processes_[i];
    process.inward = process.outward = kForever;
    for (std::size_t j = 0; j < count; ++j) {
      process.inward = std::min(process.inward, way(j, i));
      process.outward = std::min(process.outward, way(i, j));
    }
    const bool is_joined = process.inward != kForever && process.outward != kForever;
    process.round_trip = is_joined ? process.inward + process.outward : kForever;
  }
  for (std::size_t over = 0; over < count; ++over) {
    for (std::size_t from = 0; from < count; ++from) {
      if (way(from, over) == kForever) continue;
      for (std::size_t to = 0; to < count; ++to) {
        if (way(over, to) == kForever) continue;
        way(from, to) = std::min(way(from, to), way(from, over) + way(over, to));
      }
    }
  }
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

// Its time may stand at the event after the one that failed.
Time Windows::failure_of(const Process& process) {
  return process.sim->failure_ ? process.sim->failure_->at : process.sim->now();
}

Windows::Process* Windows::first_failed() {
  Process* first = nullptr;
  for (Process& process : processes_) {
    if (process.report.failed && (first == nullptr || failure_of(process) < failure_of(*first)))
      first = &process;
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
  const bool stopped = std::ranges::any_of(standing_, [](const auto& one) { return one.next != kForever; });
  if (stopped) throw LimitError{"stopped at " + to_string(stop_at_) + ", the limit that was set", waiting()};
  const bool done =
      std::ranges::all_of(processes_, [](const Process& one) { return one.sim->unfinished_ == 0; });
  if (!done) throw DeadlockError{now, waiting()};
}

}  // namespace kbsim
