#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/report/span_series.hpp"

namespace kbsim::report {

/// The number in use, in windows of time as in SpanSeries: the exact sum over time, and the maximum over
/// times of nonzero length.
class LevelSeries {
 public:
  LevelSeries() = default;
  explicit LevelSeries(Time from) : from_{from}, sum_{from} {}

  /// `used` are in use from `start` to `end`. Each call begins at or after the end of the previous one.
  void hold(Time start, Time end, std::int64_t used);
  void widen(Time width);

  /// In ps times the number in use.
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
