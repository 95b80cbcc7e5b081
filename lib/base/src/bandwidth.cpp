#include "kbsim/base/bandwidth.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

Bandwidth Bandwidth::gbs(double gigabytes_per_second) {
  constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
  constexpr double kResolution = 1e6;  // units of 1 kB/s in 1 GB/s
  const double units = std::round(gigabytes_per_second * kResolution);
  if (!(units >= 1.0 && units <= 1e15)) {
    throw UsageError{fmt::format("{} GB/s is not a bandwidth; expected 1e-6 to 1e9", gigabytes_per_second)};
  }
  const std::int64_t bytes = static_cast<std::int64_t>(units) * 1000;
  const std::int64_t divisor = std::gcd(bytes, kPicosecondsPerSecond);
  return {kPicosecondsPerSecond / divisor, bytes / divisor};
}

}  // namespace kbsim
