#pragma once

#include <cstdint>
#include <limits>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::report {

/// NaN of no time at all.
[[nodiscard]] inline double ratio(Time part, Time window) {
  return window > Time{0} ? static_cast<double>(part.count()) / static_cast<double>(window.count())
                          : std::numeric_limits<double>::quiet_NaN();
}

/// As many bytes as a server of this rate serves in that time.
[[nodiscard]] inline std::int64_t bytes_in(Time work, Bandwidth rate) {
  return static_cast<std::int64_t>(to_ns(work) * rate.gbs() + 0.5);
}

}  // namespace kbsim::report
