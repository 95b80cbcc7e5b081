#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "window_process.hpp"

namespace kbsim::detail {

/// By process of Windows: the thread that takes it first, which is the one that has its data. Any thread may
/// read it.
class WindowHomes {
 public:
  /// The processes outlive it.
  explicit WindowHomes(std::vector<WindowProcess>& processes);

  /// Neighbouring processes are busy at one time, when a wave of work passes from one to the next. So they
  /// begin with different threads.
  void deal(std::size_t threads);
  /// Uses the work of many windows. Processes move one at a time, if that takes an eighth off the busiest
  /// thread's work: another core has to fetch the data of a process that moves.
  void settle(std::size_t threads);
  [[nodiscard]] std::size_t of(const WindowProcess& process) const {
    return homes_[process.number].load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] bool move_one(std::vector<std::uint64_t>& works);
  void set(const WindowProcess& process, std::size_t thread) {
    homes_[process.number].store(static_cast<std::uint16_t>(thread), std::memory_order_relaxed);
  }

  std::vector<WindowProcess>& processes_;
  std::unique_ptr<std::atomic<std::uint16_t>[]> homes_;
};

}  // namespace kbsim::detail
