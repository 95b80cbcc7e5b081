#include "point_limits.hpp"

#include <chrono>

#include "process_end.hpp"

namespace kbsim::sweep {

using Killed = PoolWorker::Killed;

void PointLimits::begins(PoolWorker& worker) {
  if (options_.timeout <= 0.0) return;
  worker.deadline.expires_after(std::chrono::duration_cast<PoolWorker::Clock::duration>(
      std::chrono::duration<double>(options_.timeout)));
  worker.deadline.async_wait([this, &worker, since = worker.since](const boost::system::error_code& error) {
    if (error || !worker.point || worker.since != since || worker.killed != Killed::no) return;
    worker.killed = Killed::by_timeout;
    pool_.kill(worker);
  });
}

void PointLimits::look_at_memory() {
  for (const std::unique_ptr<PoolWorker>& worker : pool_.workers()) look_at_memory(*worker);
}

void PointLimits::look_at_memory(PoolWorker& worker) {
  if (!worker.point || worker.killed != Killed::no || worker.rank > 0) return;
  const Bytes held = memory_of(worker.local.pid());
  worker.keeps_much = held > pool_.share() / 4;
  if (held <= memory(worker.mode)) return;
  worker.killed = Killed::by_memory;
  pool_.kill(worker);
}

Bytes PointLimits::memory(Mode mode) const { return mode == Mode::alone ? options_.memory : pool_.share(); }

}  // namespace kbsim::sweep
