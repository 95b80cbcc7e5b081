// The master's work by the clock: limits of points, progress, sync.
#include <algorithm>

#include "master.hpp"
#include "process_end.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kTicksOfASecond = 10;
constexpr std::size_t kTicksOfMemory = 3;

}  // namespace

double Master::seconds_left() const {
  std::vector<Running> running;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->point)
      running.push_back({.point = *worker->point,
                         .spent = seconds_of(Clock::now() - worker->since),
                         .ahead = worker->ahead});
  }
  return schedule_.seconds_left(std::max<std::size_t>(workers_.size(), 1), running);
}

void Master::interrupt() {
  tally_.interrupted = true;
  io_.stop();
}

void Master::tick() {
  ++ticks_;
  if (ticks_ % kTicksOfMemory == 0) {
    for (const std::unique_ptr<Worker>& worker : workers_) watch_memory(*worker);
  }
  if (ticks_ % kTicksOfASecond == 0) sync();
  if (progress_.is_due()) progress_.show(tally_.ran, tally_.failed, tally_.ran == 0 ? -1.0 : seconds_left());
  tick_again();
}

void Master::tick_again() {
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

// The worker of a point that hasn't ended by then is killed.
void Master::expect_end(Worker& worker) {
  if (options_.timeout <= 0.0) return;
  worker.deadline.expires_after(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout)));
  worker.deadline.async_wait([this, &worker, since = worker.since](const boost::system::error_code& error) {
    if (error || !worker.point || worker.since != since || worker.killed != Killed::no) return;
    worker.killed = Killed::by_timeout;
    end_process(worker);
  });
}

void Master::watch_memory(Worker& worker) {
  if (!worker.point || worker.killed != Killed::no || worker.rank > 0) return;
  const Bytes most = worker.mode == Mode::alone ? options_.memory : share();
  const Bytes memory = memory_of(worker.local.pid());
  worker.keeps_much = memory > share() / 4;
  if (memory <= most) return;
  worker.killed = Killed::by_memory;
  end_process(worker);
}

void Master::sync() {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->unsynced && !worker->records.empty()) sync_file(worker->records);
    worker->unsynced = false;
  }
}

}  // namespace kbsim::sweep
