#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Time that processes which may run side by side for a window would take on a number of threads. In each
/// window they are assigned longest first, each to the least loaded thread, and all wait for the last. A
/// window begins with the earliest event anywhere and lasts `lookahead`.
class WindowLoads {
 public:
  static constexpr std::array<int, 7> kThreads{1, 2, 4, 8, 16, 32, 64};

  /// A lookahead of kForever: one window, since nothing crosses.
  WindowLoads(std::size_t processes, Time lookahead) : loads_(processes), lookahead_{lookahead} {}

  /// An event of that process; times don't decrease.
  void add(Time when, std::size_t process, std::uint64_t load) {
    if (when >= end_) begin_window(when);
    if (loads_[process] == 0) busy_.push_back(process);
    loads_[process] += load;
  }
  /// After the last event.
  void close();

  /// The sum over windows of the greatest load of one of kThreads[index] threads.
  [[nodiscard]] std::uint64_t longest(std::size_t index) const { return longest_[index]; }
  /// Upper bound of the speedup over one thread.
  [[nodiscard]] double times_as_fast(std::size_t index) const;
  [[nodiscard]] std::uint64_t total() const { return longest_.front(); }
  [[nodiscard]] std::uint64_t windows() const { return windows_; }

 private:
  void begin_window(Time when);
  [[nodiscard]] std::uint64_t longest_on(std::size_t threads);

  std::vector<std::uint64_t> loads_;  // of this window, by process
  std::vector<std::size_t> busy_;     // those with a load
  std::vector<std::uint64_t> sorted_;
  std::vector<std::uint64_t> heap_;
  Time lookahead_;
  Time end_{};  // of this window
  std::uint64_t windows_ = 0;
  std::array<std::uint64_t, kThreads.size()> longest_{};
};

}  // namespace kbsim::hw
