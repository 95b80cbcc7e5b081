#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::report {

/// How much of each window of time something lasted, all of it together: exact, in ps. There are at most
/// kMost windows; when time goes on, two become one.
class SpanSeries {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr Time kFirst{1024};  // the first width

  /// Windows begin at `from`, all of `width`, which doesn't change; none: as wide as they need be.
  SpanSeries() = default;
  explicit SpanSeries(Time from) : from_{from} {}

  void add(Time start, Time end);
  /// As wide as that, a multiple of the width by a power of two.
  void widen(Time width);

  [[nodiscard]] Time width() const { return width_; }
  [[nodiscard]] const std::vector<Time>& windows() const { return windows_; }
  [[nodiscard]] Time total() const;

 private:
  void double_width();

  Time from_{};
  Time width_ = kFirst;
  std::vector<Time> windows_;
};

}  // namespace kbsim::report
