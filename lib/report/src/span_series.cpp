#include "kbsim/report/span_series.hpp"

#include <algorithm>
#include <numeric>

namespace kbsim::report {

// Since the begin of the first window.
void SpanSeries::add_to_several(Time start, Time end, std::int64_t times) {
  while (end > width() * static_cast<std::int64_t>(kMost)) double_width();
  const auto last = static_cast<std::size_t>((end.count() - 1) >> shift_);
  if (windows_.size() <= last) windows_.resize(last + 1);
  for (auto i = static_cast<std::size_t>(start.count() >> shift_); i <= last; ++i) {
    const Time begin = width() * static_cast<std::int64_t>(i);
    windows_[i] += (std::min(end, begin + width()) - std::max(start, begin)) * times;
  }
}

void SpanSeries::widen(Time to) {
  while (width() < to) double_width();
}

Time SpanSeries::total() const { return std::accumulate(windows_.begin(), windows_.end(), Time{0}); }

void SpanSeries::double_width() {
  ++shift_;
  for (std::size_t i = 0; i < windows_.size(); i += 2)
    windows_[i / 2] = windows_[i] + (i + 1 < windows_.size() ? windows_[i + 1] : Time{0});
  windows_.resize((windows_.size() + 1) / 2);
}

}  // namespace kbsim::report
