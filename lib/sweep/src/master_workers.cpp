// The master's workers: processes of this host, and other ranks'.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/ranks.hpp"

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
    if (each->process.socket >= 0) others.insert(others.end(), {each->process.socket, each->process.errors});
  }
  if (!options_.out.empty() && mode_ != Mode::again) worker.records = new_record_file(options_.out);
  io_.notify_fork(boost::asio::execution_context::fork_prepare);
  worker.process = start_worker(job_, worker.records, others);
  io_.notify_fork(boost::asio::execution_context::fork_parent);
  worker.stream = std::make_unique<boost::asio::posix::stream_descriptor>(io_, worker.process.socket);
  worker.received.clear();
  ++worker.number;
  listen(worker);
}

// Ends a worker in any state; its records stay.
void Master::close(Worker& worker) {
  if (!std::exchange(worker.works, false)) return;
  reclaim(worker);
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kStop});
  kill_process(worker.process.pid);
  (void)waitpid(worker.process.pid, nullptr, 0);
  worker.stream.reset();
  (void)::close(worker.process.errors);
  worker.process = {};
}

void Master::replace(Worker& worker) {
  if (worker.unsynced) sync_file(worker.records);
  worker.unsynced = false;
  close(worker);
  if (has_work()) start(worker);
}

void Master::listen(Worker& worker) {
  boost::asio::async_read_until(
      *worker.stream, boost::asio::dynamic_buffer(worker.received), '\n',
      [this, &worker, number = worker.number](const boost::system::error_code& error, std::size_t n) {
        const auto replaced = [&] { return !worker.stream || worker.number != number; };
        if (error == boost::asio::error::operation_aborted || replaced()) return;
        if (error) return hung_up(worker);
        const std::string line = worker.received.substr(0, n - 1);
        worker.received.erase(0, n);
        hear(worker, line);
        if (!replaced()) listen(worker);
      });
}

void Master::say(Worker& worker, const std::string& line) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, line);
  const std::string text = line + "\n";
  (void)!send(worker.process.socket, text.data(), text.size(),
              MSG_NOSIGNAL);  // a dead worker is reported soon
}

void Master::end_process(Worker& worker) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kKill});
  kill_process(worker.process.pid);
}

// A process that closed its socket has nothing left to do.
void Master::hung_up(Worker& worker) {
  int status = 0;
  kill_process(worker.process.pid);
  (void)waitpid(worker.process.pid, &status, 0);
  worker.stream.reset();
  (void)::close(worker.process.errors);
  worker.process = {};
  ended(worker, status);
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
