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

Time times(std::int64_t n, Time t) {
  std::int64_t ps = 0;
  if (!__builtin_mul_overflow(n, t.count(), &ps)) return Time{ps};
  throw UsageError{fmt::format("{} times {} is beyond simulated time", n, to_string(t))};
}

Time later(Time start, Time t) {
  std::int64_t ps = 0;
  if (!__builtin_add_overflow(start.count(), t.count(), &ps)) return Time{ps};
  throw UsageError{fmt::format("{} after {} is beyond simulated time", to_string(t), to_string(start))};
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
