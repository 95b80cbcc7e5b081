#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "local_worker.hpp"
#include "worker.hpp"

namespace kbsim::sweep {

[[nodiscard]] inline double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// A worker of a sweep as its master sees it: its process and the point that it runs.
struct PoolWorker {
  using Clock = std::chrono::steady_clock;
  enum class Killed { no, by_timeout, by_memory };

  explicit PoolWorker(boost::asio::io_context& io) : local{io}, deadline{io} {}

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

}  // namespace kbsim::sweep
