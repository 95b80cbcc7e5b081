// The master's workers: processes of this host, and other ranks'.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/worker_ranks.hpp"

#include "master.hpp"
#include "process_end.hpp"
#include "rank_lines.hpp"

namespace kbsim::sweep {

void Master::start(Worker& worker) {
  worker.works = true;
  worker.killed = Killed::no;
  worker.keeps_much = false;
  if (worker.rank > 0) return;
  std::vector<int> others;
  for (const std::unique_ptr<Worker>& each : workers_) {
    if (each->local.lives()) others.push_back(each->local.socket());
  }
  if (!options_.out.empty() && mode_ != Mode::again) worker.records = new_record_file(options_.out);
  worker.local.start(job_, worker.records, others,
                     {.line = [this, &worker](std::string_view line) { hear(worker, line); },
                      .end = [this, &worker](int status) { ended(worker, status); }});
}

// Ends a worker in any state; its records stay.
void Master::close(Worker& worker) {
  if (!std::exchange(worker.works, false)) return;
  reclaim(worker);
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kStop});
  worker.local.close();
}

void Master::replace(Worker& worker) {
  if (worker.unsynced) sync_file(worker.records);
  worker.unsynced = false;
  close(worker);
  if (has_work()) start(worker);
}

void Master::say(Worker& worker, const std::string& line) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, line);
  worker.local.say(line);
}

void Master::end_process(Worker& worker) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kKill});
  worker.local.kill();
}

void Master::ended(Worker& worker, int status) {
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

// MPI has no descriptor to wait for.
void Master::hear_ranks() {
  constexpr std::chrono::microseconds kWait{500};
  if (options_.ranks == nullptr) return;
  while (const auto received = options_.ranks->receive()) {
    const auto& [rank, line] = *received;
    const auto worker = std::ranges::find(workers_, rank, [](const auto& each) { return each->rank; });
    if (worker == workers_.end()) continue;
    if (line.starts_with(kEnded))
      ended(**worker, std::atoi(line.substr(kEnded.size()).c_str()));
    else
      hear(**worker, line);
  }
  ranks_timer_.expires_after(kWait);
  ranks_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) hear_ranks();
  });
}

}  // namespace kbsim::sweep
