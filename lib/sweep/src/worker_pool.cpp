#include "worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "kbsim/sweep/worker_ranks.hpp"

#include "rank_lines.hpp"

namespace kbsim::sweep {

WorkerPool::WorkerPool(boost::asio::io_context& io, const Job& job, bool keeps, Listener listener)
    : io_{io}, job_{job}, keeps_{keeps}, listener_{std::move(listener)} {}

WorkerPool::~WorkerPool() {
  for (const std::unique_ptr<PoolWorker>& worker : workers_) close(*worker);
}

void WorkerPool::start(std::size_t jobs) {
  const Ranks* const ranks = job_.options.ranks;
  for (std::size_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<PoolWorker>(io_));
  for (int rank = 1; ranks != nullptr && rank < ranks->size(); ++rank) {
    workers_.push_back(std::make_unique<PoolWorker>(io_));
    workers_.back()->rank = rank;
  }
  for (const std::unique_ptr<PoolWorker>& worker : workers_) start(*worker);
}

void WorkerPool::start(PoolWorker& worker) {
  worker.works = true;
  worker.killed = PoolWorker::Killed::no;
  worker.keeps_much = false;
  if (worker.rank > 0) return;
  std::vector<int> others;
  for (const std::unique_ptr<PoolWorker>& each : workers_) {
    if (each->local.lives()) others.push_back(each->local.socket());
  }
  if (keeps_) worker.records = new_record_file(job_.options.out);
  worker.local.start(job_, worker.records, others,
                     {.line = [this, &worker](std::string_view line) { listener_.line(worker, line); },
                      .end = [this, &worker](int status) { listener_.end(worker, status); }});
}

void WorkerPool::close(PoolWorker& worker) {
  if (!std::exchange(worker.works, false)) return;
  if (worker.rank > 0) return job_.options.ranks->send(worker.rank, std::string{kStop});
  worker.local.close();
}

void WorkerPool::say(PoolWorker& worker, const std::string& line) {
  if (worker.rank > 0) return job_.options.ranks->send(worker.rank, line);
  worker.local.say(line);
}

void WorkerPool::kill(PoolWorker& worker) {
  if (worker.rank > 0) return job_.options.ranks->send(worker.rank, std::string{kKill});
  worker.local.kill();
}

void WorkerPool::sync() {
  for (const std::unique_ptr<PoolWorker>& worker : workers_) sync(*worker);
}

void WorkerPool::sync(PoolWorker& worker) {
  if (std::exchange(worker.unsynced, false) && !worker.records.empty()) sync_file(worker.records);
}

std::size_t WorkerPool::busy() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(workers_, [](const auto& worker) { return worker->point.has_value(); }));
}

Bytes WorkerPool::share() const {
  return Bytes{job_.options.memory.count() /
               static_cast<std::int64_t>(std::max<std::size_t>(workers_.size(), 1))};
}

// MPI has no descriptor to wait for.
void WorkerPool::hear_ranks() {
  constexpr std::chrono::microseconds kWait{500};
  if (job_.options.ranks == nullptr) return;
  while (const auto received = job_.options.ranks->receive()) hear_rank(received->first, received->second);
  ranks_timer_.expires_after(kWait);
  ranks_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) hear_ranks();
  });
}

void WorkerPool::hear_rank(int rank, const std::string& line) {
  const auto worker = std::ranges::find(workers_, rank, [](const auto& each) { return each->rank; });
  if (worker == workers_.end()) return;
  if (line.starts_with(kEnded)) return listener_.end(**worker, std::atoi(line.c_str() + kEnded.size()));
  listener_.line(**worker, line);
}

}  // namespace kbsim::sweep
