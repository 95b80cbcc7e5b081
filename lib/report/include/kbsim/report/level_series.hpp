#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/report/span_series.hpp"

namespace kbsim::report {

/// How many of something are in use, in windows of time as SpanSeries has them: the sum over time, exact, and
/// the most at any time that lasted.
class LevelSeries {
 public:
  LevelSeries() = default;
  explicit LevelSeries(Time from) : from_{from}, sum_{from} {}

  /// So many from `start` to `end`; one call begins where the one before it ended, or later.
  void hold(Time start, Time end, std::int64_t used);
  void widen(Time width);

  /// In ps times what is in use.
  [[nodiscard]] const SpanSeries& sum() const { return sum_; }
  [[nodiscard]] const std::vector<std::int64_t>& most() const { return most_; }

 private:
  void follow_width();

  Time from_{};
  SpanSeries sum_;
  std::vector<std::int64_t> most_;
  Time width_ = SpanSeries::kFirst;  // of most_
};

}  // namespace kbsim::report
