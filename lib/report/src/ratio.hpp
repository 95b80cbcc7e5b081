#pragma once

#include <limits>

#include "kbsim/base/time.hpp"

namespace kbsim::report {

/// NaN if the time is zero.
[[nodiscard]] inline double ratio(Time part, Time window) {
  return window > Time{0} ? static_cast<double>(part.count()) / static_cast<double>(window.count())
                          : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace kbsim::report
