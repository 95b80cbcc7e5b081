#include "kbsim/base/time.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

Time from_ns(double ns) {
  const double ps = std::round(ns * 1000.0);
  constexpr double kLimit = 9.2e18;
  if (!(std::abs(ps) < kLimit)) throw UsageError{fmt::format("{} ns is beyond simulated time", ns)};
  return Time{static_cast<std::int64_t>(ps)};
}

std::string to_string(Time t) {
  const auto [ns, ps] = std::lldiv(std::llabs(t.count()), 1000);
  std::string text = fmt::format("{}{}", t.count() < 0 ? "-" : "", ns);
  if (ps != 0) {
    text += fmt::format(".{:03}", ps);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " ns";
}

}  // namespace kbsim
