#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::report {

/// Total duration of something in each window of time: exact, in ps. There are at most kMost windows; as time
/// goes on, pairs are merged.
class SpanSeries {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr int kFirstShift = 10;
  static constexpr Time kFirst{1 << kFirstShift};  // the first width

  /// Windows begin at `from` and have the same width; it grows as needed.
  SpanSeries() = default;
  explicit SpanSeries(Time from) : from_{from} {}

  /// `times` things at once.
  void add(Time start, Time end, std::int64_t times = 1) {
    if (end <= start) return;
    const auto first = static_cast<std::uint64_t>((start - from_).count()) >> shift_;
    const auto last = static_cast<std::uint64_t>((end - from_).count() - 1) >> shift_;
    if (first != last || last - first_ >= windows_.size()) [[unlikely]]
      return add_to_several(start - from_, end - from_, times);
    windows_[last - first_] += (end - start).count() * times;
  }
  /// Widens the windows to `width`, which is the current width times a power of two.
  void widen(Time width);

  [[nodiscard]] Time width() const { return Time{std::int64_t{1} << shift_}; }
  /// Up to the last window in use.
  [[nodiscard]] std::vector<Time> windows() const;
  /// Windows before the first are empty.
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] Time total() const;

 private:
  void add_to_several(Time start, Time end, std::int64_t times);
  void double_width();

  Time from_{};
  int shift_ = kFirstShift;  // of the width
  std::size_t first_ = 0;
  std::vector<std::int64_t> windows_;  // from the first window in use
};

}  // namespace kbsim::report
