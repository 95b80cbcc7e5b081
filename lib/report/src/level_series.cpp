#include "kbsim/report/level_series.hpp"

#include <algorithm>

namespace kbsim::report {

void LevelSeries::hold(Time start, Time end, std::int64_t used) {
  if (end <= start || used == 0) return;
  sum_.add(start, end, used);
  follow_width();
  const auto last = static_cast<std::size_t>((end - from_ - Time{1}) / width_);
  if (most_.size() <= last) most_.resize(last + 1);
  for (auto i = static_cast<std::size_t>((start - from_) / width_); i <= last; ++i)
    most_[i] = std::max(most_[i], used);
}

void LevelSeries::widen(Time width) {
  sum_.widen(width);
  follow_width();
}

// Two merged windows keep the greater value.
void LevelSeries::follow_width() {
  for (; width_ < sum_.width(); width_ *= 2) {
    for (std::size_t i = 0; i < most_.size(); i += 2)
      most_[i / 2] = std::max(most_[i], i + 1 < most_.size() ? most_[i + 1] : 0);
    most_.resize((most_.size() + 1) / 2);
  }
}

}  // namespace kbsim::report
