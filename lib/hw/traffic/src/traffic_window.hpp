#pragma once

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// The time in which traffic is measured.
struct TrafficWindow {
  Time begin{};
  Time end = kForever;
  Time last = kForever;  // all sources stop here

  [[nodiscard]] bool contains(Time t) const { return begin <= t && t < end; }
  [[nodiscard]] Time length() const { return end - begin; }
  [[nodiscard]] double share(Time t) const {
    return static_cast<double>(t.count()) / static_cast<double>(length().count());
  }
};

}  // namespace kbsim::hw
