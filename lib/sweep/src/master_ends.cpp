// How points end: by their worker's report, or with their worker.
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

#include "master.hpp"
#include "process_end.hpp"

namespace kbsim::sweep {
namespace {

constexpr int kSignals = 128;
constexpr int kLimit = static_cast<int>(ExitCode::limit);

}  // namespace

void Master::done(PoolWorker& worker, std::string_view line) {
  const std::optional<PointReply> reply = reply_in(line);
  if (!reply || !worker.point) {  // no worker says that: it ends, and its point runs again
    return worker.local.kill();
  }
  (void)worker.deadline.cancel();
  deaths_ = 0;
  worker.took = seconds_of(PoolWorker::Clock::now() - worker.since);
  worker.unsynced = true;
  forget_key(worker);
  settle(worker, *std::exchange(worker.point, std::nullopt), *reply);
  if (worker.keeps_much)
    replace(worker);
  else if (worker.ahead)
    begins(worker, *std::exchange(worker.ahead, std::nullopt), mode_);
  hand_out();
}

void Master::settle(const PoolWorker& worker, std::size_t point, const PointReply& reply) {
  if (mode_ == Mode::again) return outcomes_.compare(point, reply.exit, reply.digest);
  if (!worker.key.empty() && !worker.simulates) return outcomes_.is_known(point, worker.key);
  const bool has_others = worker.mode == Mode::shared && pool_.workers().size() > 1;
  if (reply.is_short && has_others) return large_.push_back(point);
  learn(point, outcomes_.simulated(point, worker, reply), worker.took);
}

// Another process has the memory that its point kept.
void Master::replace(PoolWorker& worker) {
  pool_.sync(worker);
  reclaim(worker);
  pool_.close(worker);
  if (has_work()) pool_.start(worker);
}

void Master::learn(std::size_t point, const Record& record, double taken) {
  schedule_.learn(point, static_cast<double>(record.events), taken);
  if (!outcomes_.wants_guess()) return;
  schedule_.refit();
  outcomes_.guess(seconds_left());
}

void Master::ended(PoolWorker& worker, int status) {
  constexpr int kMostDeaths = 1000;
  worker.works = false;
  reclaim(worker);
  if (++deaths_ > kMostDeaths)
    throw Error{ExitCode::internal,
                fmt::format("workers end as soon as they start: of the last, {}", end_of_process(status))};
  forget_key(worker);
  if (worker.point) lost(worker, status);
  worker.point.reset();
  hand_out();
}

// A signal from outside, as kill -9, isn't the point's doing: it runs again.
void Master::lost(const PoolWorker& worker, int status) {
  using Killed = PoolWorker::Killed;
  const PoolOptions& options = job_.options;
  const std::size_t point = *worker.point;
  if (worker.killed == Killed::by_timeout)
    return keep_lost(worker,
                     {.end = End::timed_out,
                      .exit = kLimit,
                      .message = fmt::format("hadn't ended after {:g} s (--timeout)", options.timeout),
                      .limit = options.timeout});
  if (worker.killed == Killed::by_memory) {
    if (worker.mode == Mode::shared && pool_.workers().size() > 1) return large_.push_back(point);
    return keep_lost(worker,
                     {.end = End::too_large,
                      .exit = kLimit,
                      .message = fmt::format("needs more memory than {} (--memory)", about(options.memory)),
                      .limit = static_cast<double>(options.memory.count())});
  }
  constexpr int kHung = static_cast<int>(ExitCode::deadlock);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kHung && !worker.hangs.empty())  // --watchdog
    return keep_lost(worker, {.end = End::crashed, .exit = kHung, .message = worker.hangs});
  const bool from_outside = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  constexpr int kTries = 2;
  constexpr int kTriesIfKilled = 10;
  if (++tries_[point] < (from_outside ? kTriesIfKilled : kTries)) return schedule_.put_back(point);
  const int exit = WIFSIGNALED(status) ? kSignals + WTERMSIG(status) : static_cast<int>(ExitCode::internal);
  keep_lost(
      worker,
      {.end = End::crashed, .exit = exit, .message = fmt::format("crashed: {}", end_of_process(status))});
}

void Master::keep_lost(const PoolWorker& worker, const Outcomes::Loss& loss) {
  const std::size_t point = *worker.point;
  if (mode_ == Mode::again) return outcomes_.compare(point, loss.exit, "-");
  const Record record = outcomes_.lost(point, worker, loss);
  learn(point, record, record.seconds);
}

}  // namespace kbsim::sweep
