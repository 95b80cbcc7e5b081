#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/standing.hpp"
#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/run_points.hpp"

#include "point_reply.hpp"
#include "pool_worker.hpp"

namespace kbsim::sweep {

/// How the points of a sweep ended: their records, the tally, and second runs that differ.
class Outcomes {
 public:
  /// How a process was lost with its point.
  struct Loss {
    End end = End::crashed;
    int exit = 0;
    std::string message;
    double limit = 0.0;  // the one that it exceeded
  };

  Outcomes(const Job& job, Cache& cache, std::size_t points);
  Outcomes(const Outcomes&) = delete;
  Outcomes& operator=(const Outcomes&) = delete;

  /// The worker has written that another record has the point's result.
  void is_known(std::size_t point, const std::string& key);
  /// The worker has simulated the point and written its record, unless it was too large for any share.
  Record simulated(std::size_t point, const PoolWorker& worker, const PointReply& reply);
  /// The worker's process has ended without a report.
  Record lost(std::size_t point, const PoolWorker& worker, const Loss& loss);
  /// The point has run again.
  void compare(std::size_t point, int exit, const std::string& digest);

  /// Running points end; no other begins.
  void stop_for(const std::string& why) { tally_.stopped = why; }
  void interrupt() { tally_.interrupted = true; }
  [[nodiscard]] bool may_go_on() const { return tally_.stopped.empty() && !tally_.interrupted; }

  /// A tenth of the points has ended, and the rest hasn't been guessed.
  [[nodiscard]] bool wants_guess() const { return !tenth_ && tally_.ran * 10 >= tally_.points; }
  /// The time left, as guessed by now.
  void guess(double seconds_left);
  /// The sweep has ended.
  void finish();

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const std::vector<Difference>& differences() const { return differences_; }

 private:
  using Clock = std::chrono::steady_clock;
  void ended(const Record& record, double busy);
  void look_at_first(const PoolWorker& worker);
  void keep(const Record& record);

  const Job& job_;
  Cache& cache_;
  bool looked_;  // at the first document
  RecordFile own_;
  Tally tally_;
  std::vector<Difference> differences_;
  Stage stage_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> tenth_;
};

}  // namespace kbsim::sweep
