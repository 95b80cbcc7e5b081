#include "kbsim/replay/compare_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/replay/numbers.hpp"

#include "convert.hpp"

namespace kbsim::replay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Format {  // of a floating dtype: significand bits with the implicit one, least and greatest exponent
  int digits;
  int min_exponent;
  int max_exponent;
};

template <class T>
constexpr Format format_of() {
  if constexpr (std::is_same_v<T, F8E4M3> || std::is_same_v<T, F8E5M2>) {
    return {T::kMantissa + 1, T::kMinExponent, T::kMaxExponent};
  } else {
    using Limits = std::numeric_limits<T>;
    return {Limits::digits, Limits::min_exponent - 1, Limits::max_exponent - 1};
  }
}

/// The distance of two neighbours of the dtype at x, 1 for integers.
double ulp(double x, DType dtype) {
  if (!info(dtype).floating) return 1.0;
  const Format format = dispatch(dtype, []<class T>(TypeTag<T>) { return format_of<T>(); });
  const int exponent = x == 0.0 ? format.min_exponent : std::ilogb(x);
  return std::ldexp(1.0, std::clamp(exponent, format.min_exponent, format.max_exponent) - format.digits + 1);
}

/// |actual - expected|, where `rounded` is what the dtype makes of `expected`.
double difference(double actual, double expected, double rounded) {
  if (std::isnan(actual) && std::isnan(rounded)) return 0.0;
  if (std::isinf(actual) && actual == rounded) return 0.0;
  const double error = std::abs(actual - expected);
  return std::isnan(error) ? kInfinity : error;
}

double ratio(double error, double scale) { return error == 0.0 ? 0.0 : error / scale; }

// Adds elements from the `first` on; sums for means.
void add(Comparison& all, std::int64_t first, std::span<const std::byte> actual,
         std::span<const double> expected, DType dtype, const Tolerance& tolerance) {
  const std::vector<double> numbers = to_doubles(actual, dtype);
  const std::vector<double> rounded = to_doubles(from_doubles(expected, dtype), dtype);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all.means.got += numbers[i];
    all.means.expected += expected[i];
    const double abs = difference(numbers[i], expected[i], rounded[i]);
    if (abs == 0.0) continue;  // most are
    const double rel = std::isinf(abs) ? abs : ratio(abs, std::abs(expected[i]));
    const double ulps = std::isinf(abs) ? abs : ratio(abs, ulp(expected[i], dtype));
    all.max_abs = std::max(all.max_abs, abs);
    all.max_rel = std::max(all.max_rel, rel);
    all.max_ulp = std::max(all.max_ulp, ulps);
    const bool right = abs <= tolerance.abs || rel <= tolerance.rel || ulps <= tolerance.ulp;
    all.wrong += right ? 0 : 1;
    if (right || !all.ok) continue;
    all.ok = false;
    all.first_bad = first + static_cast<std::int64_t>(i);
  }
}

}  // namespace

std::string to_text(const Means& means) {
  return fmt::format("got mean={:.3f}, expected={:.3f}", means.got, means.expected);
}

Comparison compare(std::span<const std::byte> actual, std::span<const double> expected, DType dtype,
                   const Tolerance& tolerance) {
  static const WorkKind kCompare{"comparing results"};
  const WorkScope scope{kCompare};
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  ensure(actual.size() == expected.size() * item, "a comparison of arrays of different sizes");
  constexpr std::size_t kAtOnce = 65536;  // doubles take eight times a byte's memory
  Comparison all;
  for (std::size_t first = 0; first < expected.size(); first += kAtOnce) {
    const std::size_t n = std::min(kAtOnce, expected.size() - first);
    add(all, static_cast<std::int64_t>(first), actual.subspan(first * item, n * item),
        expected.subspan(first, n), dtype, tolerance);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(expected.size(), 1));
  all.means = {.got = all.means.got / count, .expected = all.means.expected / count};
  return all;
}

}  // namespace kbsim::replay
