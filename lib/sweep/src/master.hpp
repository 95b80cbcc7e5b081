#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kbsim/signals/on_stop.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/schedule.hpp"

#include "outcomes.hpp"
#include "point_limits.hpp"
#include "progress.hpp"
#include "worker_pool.hpp"

namespace kbsim::sweep {

/// Hands points out to its workers, and settles their ends: one event loop, no threads.
class Master {
 public:
  /// `mode`: shared, or again to look for differences.
  Master(const Job& job, Cache& cache, const std::vector<std::size_t>& points, Mode mode);
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  void run();
  [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

 private:
  // Points for workers (master.cpp).
  [[nodiscard]] bool has_work() const;
  void hand_out();
  void give(PoolWorker& worker, std::size_t point, Mode mode);
  void begins(PoolWorker& worker, std::size_t point, Mode mode);
  void give_ahead(PoolWorker& worker);
  void reclaim(PoolWorker& worker);
  [[nodiscard]] double seconds_left() const;
  void tick();
  void interrupt();

  // Lines of workers (master_lines.cpp).
  void hear(PoolWorker& worker, std::string_view line);
  void stops(PoolWorker& worker, const std::string& why);
  void decide(PoolWorker& worker, const std::string& key);
  void owned(PoolWorker& worker, const std::string& key);
  void forget_key(const PoolWorker& worker);

  // Ends of points and of workers (master_ends.cpp).
  void done(PoolWorker& worker, std::string_view line);
  void settle(const PoolWorker& worker, std::size_t point, const PointReply& reply);
  void replace(PoolWorker& worker);
  void ended(PoolWorker& worker, int status);
  void lost(const PoolWorker& worker, int status);
  void keep_lost(const PoolWorker& worker, const Outcomes::Loss& loss);
  void learn(std::size_t point, const Record& record, double taken);

  const Job& job_;
  Cache& cache_;
  Mode mode_;
  Schedule schedule_;
  std::vector<std::size_t> large_;  // those that run alone
  std::map<std::size_t, int> tries_;
  std::set<std::string> keys_;  // of the running points
  int deaths_ = 0;              // of workers, since a point ended
  Outcomes outcomes_;
  StopSignals signals_;
  Progress progress_;
  std::size_t ticks_ = 0;
  boost::asio::io_context io_;
  boost::asio::steady_timer timer_{io_};
  WorkerPool pool_;
  PointLimits limits_;
  OnStop on_stop_{[this](int) { boost::asio::post(io_, [this] { interrupt(); }); }};
};

}  // namespace kbsim::sweep
