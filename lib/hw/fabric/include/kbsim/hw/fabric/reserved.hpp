#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Service times of a server that reserves when requests arrive: how much of them is still ahead. Past
/// stretches are dropped now and then, so that memory grows only with the stretches ahead.
class Reserved {
 public:
  struct Stretch {
    Time start;
    Time end;
  };

  /// Later calls of after() ask for no time before `now`.
  void add(Time start, Time end, Time now) {
    if (!stretches_.empty() && stretches_.back().end == start) {
      stretches_.back().end = end;
      return;
    }
    if (stretches_.size() == stretches_.capacity()) make_room(now);
    stretches_.push_back({start, end});
  }
  /// Service time from `now` on.
  [[nodiscard]] Time after(Time now) const {
    Time sum{};
    for (const Stretch& one : stretches_) sum += std::max(Time{0}, one.end - std::max(one.start, now));
    return sum;
  }

 private:
  void make_room(Time now) {
    std::erase_if(stretches_, [now](const Stretch& one) { return one.end <= now; });
    constexpr std::size_t kFew = 4;
    if (2 * stretches_.size() > stretches_.capacity() || stretches_.capacity() == 0)
      stretches_.reserve(std::max(kFew, 2 * stretches_.capacity()));
  }

  std::vector<Stretch> stretches_;
};

}  // namespace kbsim::hw
