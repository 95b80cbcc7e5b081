#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kbsim/base/standing.hpp"
#include "kbsim/signals/on_stop.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/schedule.hpp"

#include "local_worker.hpp"
#include "progress.hpp"
#include "worker.hpp"

namespace kbsim::sweep {

[[nodiscard]] inline double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// Hands points out to its workers, and watches them: one event loop, no threads.
class Master {
 public:
  /// `mode`: shared, or again to look for differences.
  Master(const Job& job, Cache& cache, const PoolOptions& options, std::vector<std::size_t> points,
         Mode mode);
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  void run();
  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const std::vector<Difference>& differences() const { return differences_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Killed { no, by_timeout, by_memory };

  struct Worker {
    explicit Worker(boost::asio::io_context& io) : local{io}, deadline{io} {}

    int rank = 0;  // above 0: of another rank, with its process there
    bool works = false;
    LocalWorker local;  // unless it is of another rank
    std::filesystem::path records;
    bool unsynced = false;
    bool keeps_much = false;  // of memory: it is replaced when its point has ended
    std::optional<std::size_t> point;
    std::optional<std::size_t> ahead;  // the next one, already sent to it
    double took = 1e9;                 // seconds, its last
    Mode mode = Mode::shared;
    std::string lacks;  // what its first document lacks
    std::string hangs;  // its watchdog's words about the running point
    std::string key;
    bool simulates = false;  // under that key
    Clock::time_point since;
    boost::asio::steady_timer deadline;
    Killed killed = Killed::no;
  };

  // A worker's report at a point's end.
  struct Reply {
    int exit = 0;
    std::uint64_t events = 0;
    double simulating = 0.0;
    double busy = 0.0;
    double taken = 0.0;     // from its order to now
    bool is_short = false;  // of memory
    std::string digest;
  };

  // Workers (master_workers.cpp).
  void start(Worker& worker);
  void close(Worker& worker);
  void say(Worker& worker, const std::string& line);
  void ended(Worker& worker, int status);
  void end_process(Worker& worker);
  void hear_ranks();
  void replace(Worker& worker);
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] std::size_t busy() const;

  // Points (master.cpp).
  void hand_out();
  void give(Worker& worker, std::size_t point, Mode mode);
  void begins(Worker& worker, std::size_t point, Mode mode);
  void give_ahead(Worker& worker);
  void reclaim(Worker& worker);
  void hear(Worker& worker, std::string_view line);
  void decide(Worker& worker, const std::string& key);
  void owned(Worker& worker, const std::string& key);
  void stop_for(const std::string& why);

  // Ends of points (master_ends.cpp).
  [[nodiscard]] static std::optional<Reply> reply_in(std::string_view line);
  void done(Worker& worker, std::string_view line);
  void settle(const Worker& worker, std::size_t point, const Reply& reply);
  void simulated(const Worker& worker, std::size_t point, const Reply& reply);
  void lost(Worker& worker, int status);
  void keep_lost(const Worker& worker, End end, int exit, std::string message, double limit);
  void point_is_known(std::size_t point, const Worker& worker);
  void forget_key(const Worker& worker);
  void finished(std::size_t point, const Record& record, double busy, double taken);
  void compare(std::size_t point, int exit, const std::string& digest);
  void keep(Record record);

  // Time (master_time.cpp).
  void interrupt();
  void tick();
  void tick_again();
  void expect_end(Worker& worker);
  void watch_memory(Worker& worker);
  void sync();
  [[nodiscard]] double seconds_left() const;
  [[nodiscard]] Bytes share() const;

  const Job& job_;
  Cache& cache_;
  const PoolOptions& options_;
  Mode mode_;
  Schedule schedule_;
  std::vector<std::size_t> large_;  // those that run alone
  std::map<std::size_t, int> tries_;
  std::set<std::string> keys_;  // of the running points
  bool looked_;                 // at the first document
  int deaths_ = 0;              // of workers, since a point ended
  RecordFile own_;
  Tally tally_;
  std::vector<Difference> differences_;
  StopSignals signals_;
  Stage stage_;
  Progress progress_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> tenth_;
  std::size_t ticks_ = 0;
  boost::asio::io_context io_;
  boost::asio::steady_timer timer_{io_};
  boost::asio::steady_timer ranks_timer_{io_};
  std::vector<std::unique_ptr<Worker>> workers_;
  OnStop on_stop_{[this](int) { boost::asio::post(io_, [this] { interrupt(); }); }};
};

}  // namespace kbsim::sweep
