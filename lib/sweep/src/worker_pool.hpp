#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kbsim/base/bytes.hpp"
#include "kbsim/sweep/run_points.hpp"

#include "pool_worker.hpp"

namespace kbsim::sweep {

/// The workers of a sweep: processes of this host, and one of each other rank. Their lines and ends arrive on
/// an io_context. All processes end with this object.
class WorkerPool {
 public:
  struct Listener {
    std::function<void(PoolWorker& worker, std::string_view line)> line;
    std::function<void(PoolWorker& worker, int status)> end;  // waitpid's; not called for a close()
  };

  /// `keeps`: processes write records.
  WorkerPool(boost::asio::io_context& io, const Job& job, bool keeps, Listener listener);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Starts `jobs` workers of this host and all other ranks'.
  void start(std::size_t jobs);
  /// From now on, lines of other ranks' workers arrive.
  void hear_ranks();
  /// Starts the process of a worker that has none.
  void start(PoolWorker& worker);
  /// Ends a worker in any state; its records stay.
  void close(PoolWorker& worker);
  void say(PoolWorker& worker, const std::string& line);
  /// Ends its process; the listener learns of the end.
  void kill(PoolWorker& worker);

  /// Records of ended points are on the disk afterwards.
  void sync();
  void sync(PoolWorker& worker);

  [[nodiscard]] const std::vector<std::unique_ptr<PoolWorker>>& workers() const { return workers_; }
  /// Workers that have a point.
  [[nodiscard]] std::size_t busy() const;
  /// A worker's part of the memory.
  [[nodiscard]] Bytes share() const;

 private:
  void hear_rank(int rank, const std::string& line);

  boost::asio::io_context& io_;
  const Job& job_;
  bool keeps_;
  Listener listener_;
  boost::asio::steady_timer ranks_timer_{io_};
  std::vector<std::unique_ptr<PoolWorker>> workers_;
};

}  // namespace kbsim::sweep
