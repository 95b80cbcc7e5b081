// A rank that runs points for rank 0: it passes lines between rank 0 and a worker's process.
#include <array>
#include <chrono>
#include <csignal>
#include <string_view>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/stop.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/ranks.hpp"

#include "process_end.hpp"
#include "rank_lines.hpp"
#include "worker.hpp"

namespace kbsim::sweep {
namespace {

constexpr int kWait = 1;  // ms for the worker's answer, before rank 0 is listened to

class Server {
 public:
  Server(Ranks& ranks, const Job& job, const std::filesystem::path& out)
      : ranks_{ranks}, job_{job}, out_{out} {}
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run() {
    while (!dismissed_ && stop_signal() == 0) {
      while (auto line = ranks_.receive()) obey(line->second);
      listen();
      sync();
    }
  }

 private:
  void obey(const std::string& line) {
    if (line == kDismiss) {
      dismissed_ = true;
    } else if (line == kStop) {
      stop();
    } else if (line == kKill) {
      kill_process(worker_.pid);
    } else {
      const bool begins = line.starts_with(kRun);
      if (worker_.pid < 0 && !begins) return;  // an answer to a worker that has ended
      if (worker_.pid < 0) start();
      const std::string text = line + "\n";
      (void)!send(worker_.socket, text.data(), text.size(), MSG_NOSIGNAL);
    }
  }

  void start() {
    records_ = out_.empty() ? std::filesystem::path{} : new_record_file(out_);
    worker_ = start_worker(job_, records_, {});
    received_.clear();
  }
  void stop() {
    if (worker_.pid < 0) return;
    kill_process(worker_.pid);
    forget();
  }
  int forget() {
    int status = 0;
    (void)waitpid(worker_.pid, &status, 0);
    (void)close(worker_.socket);
    (void)close(worker_.errors);
    worker_ = {};
    sync_file(records_);
    return status;
  }

  void listen() {
    pollfd one{.fd = worker_.socket, .events = POLLIN, .revents = 0};
    if (poll(&one, worker_.pid < 0 ? 0 : 1, kWait) <= 0 || worker_.pid < 0) return;
    std::array<char, 4096> buffer;
    const ssize_t n = read(worker_.socket, buffer.data(), buffer.size());
    if (n <= 0) return ranks_.send(0, fmt::format("{}{}", kEnded, forget()));
    received_.append(buffer.data(), static_cast<std::size_t>(n));
    for (std::size_t end = received_.find('\n'); end != std::string::npos; end = received_.find('\n')) {
      ranks_.send(0, received_.substr(0, end));
      received_.erase(0, end + 1);
      unsynced_ = true;
    }
  }

  void sync() {
    const auto now = std::chrono::steady_clock::now();
    if (!unsynced_ || now - synced_ < std::chrono::seconds{1}) return;
    sync_file(records_);
    unsynced_ = false;
    synced_ = now;
  }

  Ranks& ranks_;
  const Job& job_;
  const std::filesystem::path& out_;
  StopSignals signals_;
  Process worker_;
  std::filesystem::path records_;
  std::string received_;
  bool dismissed_ = false;
  bool unsynced_ = false;
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace

void serve(Ranks& ranks, const Plan& plan, const std::vector<std::string>& requests, const RunPoint& run,
           const PoolOptions& options) {
  const Job job{.plan = plan, .requests = requests, .run = run, .options = options};
  Server{ranks, job, options.out}.run();
}

Dismissal::~Dismissal() {
  for (int rank = 1; ranks_ != nullptr && rank < ranks_->size(); ++rank)
    ranks_->send(rank, std::string{kDismiss});
}

}  // namespace kbsim::sweep
