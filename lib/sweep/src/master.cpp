// A sweep's event loop: which worker runs which point.
#include "master.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "rank_lines.hpp"

namespace kbsim::sweep {

using Workers = std::vector<std::unique_ptr<PoolWorker>>;

Master::Master(const Job& job, Cache& cache, const std::vector<std::size_t>& points, Mode mode)
    : job_{job},
      cache_{cache},
      mode_{mode},
      schedule_{job.plan, points},
      outcomes_{job, cache, points.size()},
      progress_{points.size(), job.options.progress},
      pool_{io_,
            job,
            !job.options.out.empty() && mode != Mode::again,
            {.line = [this](PoolWorker& worker, std::string_view line) { hear(worker, line); },
             .end = [this](PoolWorker& worker, int status) { ended(worker, status); }}},
      limits_{job.options, pool_} {
  for (std::size_t i = 0; i < job.requests.size(); ++i) {
    if (const Record* known = cache.of_request(job.requests[i]))
      schedule_.learn(i, static_cast<double>(known->events), known->seconds);
  }
}

void Master::run() {
  pool_.start(std::min<std::size_t>(std::max(1U, job_.options.jobs), outcomes_.tally().points));
  hand_out();
  pool_.hear_ranks();
  tick();
  io_.run();
  pool_.sync();
  outcomes_.finish();
}

void Master::interrupt() {
  outcomes_.interrupt();
  io_.stop();
}

bool Master::has_work() const {
  return outcomes_.may_go_on() && (schedule_.pending() > 0 || !large_.empty());
}

void Master::hand_out() {
  const Workers& workers = pool_.workers();
  const bool alone = std::ranges::any_of(
      workers, [](const auto& worker) { return worker->point && worker->mode == Mode::alone; });
  for (const std::unique_ptr<PoolWorker>& worker : workers) {
    if (alone || !has_work()) continue;
    if (worker->point) {
      give_ahead(*worker);
      continue;
    }
    if (!worker->works) pool_.start(*worker);
    if (const std::optional<std::size_t> point = schedule_.next()) {
      give(*worker, *point, mode_);
    } else if (pool_.busy() == 0 && !large_.empty()) {
      const std::size_t large = large_.back();
      large_.pop_back();
      give(*worker, large, Mode::alone);
      break;
    }
  }
  if (pool_.busy() == 0 && !has_work()) io_.stop();
}

void Master::give(PoolWorker& worker, std::size_t point, Mode mode) {
  pool_.say(worker,
            fmt::format("{}{} {} {}", kRun, point, static_cast<int>(mode), limits_.memory(mode).count()));
  begins(worker, point, mode);
}

void Master::begins(PoolWorker& worker, std::size_t point, Mode mode) {
  worker.point = point;
  worker.mode = mode;
  worker.key.clear();
  worker.simulates = false;
  worker.hangs.clear();
  worker.since = PoolWorker::Clock::now();
  limits_.begins(worker);
}

// While points are short, a worker gets its next one ahead. Near the end each point goes to a free worker.
void Master::give_ahead(PoolWorker& worker) {
  constexpr double kShort = 0.05;  // seconds
  constexpr std::size_t kEnough = 4;
  const bool enough = schedule_.pending() >= kEnough * pool_.workers().size();
  if (worker.rank > 0 || worker.ahead || worker.took > kShort || !enough) return;
  worker.ahead = schedule_.next();
  pool_.say(worker,
            fmt::format("{}{} {} {}", kRun, *worker.ahead, static_cast<int>(mode_), pool_.share().count()));
}

void Master::reclaim(PoolWorker& worker) {
  if (worker.ahead) schedule_.put_back(*worker.ahead);
  worker.ahead.reset();
}

double Master::seconds_left() const {
  std::vector<Running> running;
  for (const std::unique_ptr<PoolWorker>& worker : pool_.workers()) {
    if (worker->point)
      running.push_back({.point = *worker->point,
                         .spent = seconds_of(PoolWorker::Clock::now() - worker->since),
                         .ahead = worker->ahead});
  }
  return schedule_.seconds_left(std::max<std::size_t>(pool_.workers().size(), 1), running);
}

// The work by the clock: memory, sync, progress.
void Master::tick() {
  constexpr std::chrono::milliseconds kTick{100};
  constexpr std::size_t kTicksOfASecond = 10;
  constexpr std::size_t kTicksOfMemory = 3;
  ++ticks_;
  if (ticks_ % kTicksOfMemory == 0) limits_.look_at_memory();
  if (ticks_ % kTicksOfASecond == 0) pool_.sync();
  const Tally& tally = outcomes_.tally();
  if (progress_.is_due()) progress_.show(tally.ran, tally.failed, tally.ran == 0 ? -1.0 : seconds_left());
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

}  // namespace kbsim::sweep
