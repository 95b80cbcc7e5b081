#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kbsim::sweep {

/// Progress of a sweep on stderr: a bar on a terminal, else a line now and then.
class Progress {
 public:
  Progress(std::size_t all, bool shown);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether show() would show anything now.
  [[nodiscard]] bool is_due() const;
  /// `left`: seconds, below 0 if that isn't known yet.
  void show(std::size_t done, std::size_t failed, double left);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string line(std::size_t done, std::size_t failed, double left) const;

  std::size_t all_;
  bool shown_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point printed_ = start_;
};

/// "1 h 3 min", "25 s".
[[nodiscard]] std::string duration(double seconds);

}  // namespace kbsim::sweep
