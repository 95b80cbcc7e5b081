#include "kbsim/report/span_series.hpp"

#include <algorithm>
#include <numeric>

namespace kbsim::report {

void SpanSeries::add(Time start, Time end) {
  if (end <= start) return;
  start -= from_;
  end -= from_;
  while (end > width_ * static_cast<std::int64_t>(kMost)) double_width();
  const auto last = static_cast<std::size_t>((end - Time{1}) / width_);
  if (windows_.size() <= last) windows_.resize(last + 1);
  for (auto i = static_cast<std::size_t>(start / width_); i <= last; ++i) {
    const Time begin = width_ * static_cast<std::int64_t>(i);
    windows_[i] += std::min(end, begin + width_) - std::max(start, begin);
  }
}

void SpanSeries::widen(Time width) {
  while (width_ < width) double_width();
}

Time SpanSeries::total() const { return std::accumulate(windows_.begin(), windows_.end(), Time{0}); }

void SpanSeries::double_width() {
  width_ *= 2;
  for (std::size_t i = 0; i < windows_.size(); i += 2)
    windows_[i / 2] = windows_[i] + (i + 1 < windows_.size() ? windows_[i + 1] : Time{0});
  windows_.resize((windows_.size() + 1) / 2);
}

}  // namespace kbsim::report
