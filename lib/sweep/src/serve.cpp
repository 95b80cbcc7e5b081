// A rank that runs points for rank 0: it passes lines between rank 0 and a worker's process.
#include <chrono>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "kbsim/signals/on_stop.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/worker_ranks.hpp"

#include "local_worker.hpp"
#include "rank_lines.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};  // at what rank 0 has sent
constexpr std::chrono::seconds kBetweenSyncs{1};

class Server {
 public:
  Server(Ranks& ranks, const Job& job, const std::filesystem::path& out)
      : ranks_{ranks}, job_{job}, out_{out} {}
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run() {
    hear_rank0();
    sync_later();
    io_.run();
  }

 private:
  // MPI has no descriptor to wait for.
  void hear_rank0() {
    while (auto line = ranks_.receive()) obey(line->second);
    looks_.expires_after(kBetweenLooks);
    looks_.async_wait([this](const boost::system::error_code& error) {
      if (!error) hear_rank0();
    });
  }

  void obey(const std::string& line) {
    if (line == kDismiss) return io_.stop();
    if (line == kStop) return stop();
    if (line == kKill) return worker_.kill();
    const bool begins = line.starts_with(kRun);
    if (!worker_.lives() && !begins) return;  // an answer to a worker that has ended
    if (!worker_.lives()) start();
    worker_.say(line);
  }

  void start() {
    records_ = out_.empty() ? std::filesystem::path{} : new_record_file(out_);
    worker_.start(job_, records_, {},
                  {.line = [this](std::string_view line) { pass_on(line); },
                   .end = [this](int status) { has_ended(status); }});
  }
  void stop() {
    if (!worker_.lives()) return;
    worker_.close();
    sync_file(records_);
  }

  void pass_on(std::string_view line) {
    ranks_.send(0, std::string{line});
    unsynced_ = true;
  }
  void has_ended(int status) {
    sync_file(records_);
    ranks_.send(0, fmt::format("{}{}", kEnded, status));
  }

  void sync_later() {
    syncs_.expires_after(kBetweenSyncs);
    syncs_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (std::exchange(unsynced_, false)) sync_file(records_);
      sync_later();
    });
  }

  Ranks& ranks_;
  const Job& job_;
  const std::filesystem::path& out_;
  StopSignals signals_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer looks_{io_};
  boost::asio::steady_timer syncs_{io_};
  LocalWorker worker_{io_};
  std::filesystem::path records_;
  bool unsynced_ = false;
  OnStop on_stop_{[this](int) { io_.stop(); }};
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
