#include "kbsim/report/span_series.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kbsim::report {

// Times are relative to the beginning of the first window.
void SpanSeries::add_to_several(Time start, Time end, std::int64_t times) {
  while (end > width() * static_cast<std::int64_t>(kMost)) double_width();
  const auto first = static_cast<std::size_t>(start.count() >> shift_);
  const auto last = static_cast<std::size_t>((end.count() - 1) >> shift_);
  if (windows_.empty()) first_ = first;
  if (first < first_) {
    windows_.insert(windows_.begin(), first_ - first, 0);
    first_ = first;
  }
  if (windows_.size() <= last - first_) windows_.resize(last - first_ + 1);
  for (std::size_t i = first; i <= last; ++i) {
    const Time begin = width() * static_cast<std::int64_t>(i);
    windows_[i - first_] += (std::min(end, begin + width()) - std::max(start, begin)).count() * times;
  }
}

void SpanSeries::widen(Time to) {
  while (width() < to) double_width();
}

Time SpanSeries::total() const {
  return Time{std::accumulate(windows_.begin(), windows_.end(), std::int64_t{0})};
}

std::vector<Time> SpanSeries::windows() const {
  std::vector<Time> all(windows_.empty() ? 0 : first_);
  for (const std::int64_t window : windows_) all.emplace_back(window);
  return all;
}

void SpanSeries::double_width() {
  ++shift_;
  if (windows_.empty()) return;
  const std::size_t odd = first_ % 2;
  first_ /= 2;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const std::int64_t lasted = std::exchange(windows_[i], 0);
    windows_[(i + odd) / 2] += lasted;
  }
  windows_.resize((windows_.size() + odd + 1) / 2);
}

}  // namespace kbsim::report
