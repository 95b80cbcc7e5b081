#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dispatch.hpp"

namespace kbsim::replay {

/// widen(): the same number in float, double or an integer type, exactly.
template <class T>
  requires std::is_arithmetic_v<T>
T widen(T x) {
  return x;
}
inline float widen(Eigen::half x) { return static_cast<float>(x); }
inline float widen(Eigen::bfloat16 x) { return static_cast<float>(x); }
inline float widen(F8E4M3 x) { return x.value(); }
inline float widen(F8E5M2 x) { return x.value(); }
inline std::uint8_t widen(Bool x) { return x == Bool{0} ? 0 : 1; }

template <std::floating_point T>
T canonical(T x) {
  return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

/// The one of the two floats around x that has the odd mantissa. Rounding it again into a dtype of at most 22
/// bits gives the same as rounding x itself.
inline float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const double back = nearest;
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (back == x || (bits & 1U) != 0) return nearest;
  return std::bit_cast<float>(std::abs(back) > std::abs(x) ? bits - 1 : bits + 1);
}

/// A double that rounds into any dtype of at most 42 bits as x does: beyond 2^53 the bits that don't fit
/// are folded into the lowest that does.
template <std::integral T>
double sticky_double(T x) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  constexpr std::int64_t kLow = (std::int64_t{1} << 10) - 1;
  const std::int64_t wide = x;
  if (-kExact <= wide && wide <= kExact) return static_cast<double>(wide);
  return static_cast<double>((wide & ~kLow) | ((wide & kLow) != 0 ? kLow + 1 : 0));
}

template <std::integral To, std::floating_point From>
To saturate(From x) {
  constexpr auto kMin = static_cast<From>(std::numeric_limits<To>::min());
  constexpr auto kBeyond = From{2} * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
  if (std::isnan(x)) return 0;
  if (x <= kMin) return std::numeric_limits<To>::min();
  return x >= kBeyond ? std::numeric_limits<To>::max() : static_cast<To>(x);
}

template <class To, std::floating_point From>
To round_float(From x) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(canonical(x));
  } else if constexpr (std::is_same_v<To, F8E4M3> || std::is_same_v<To, F8E5M2>) {
    return To::from(x);
  } else if constexpr (std::is_same_v<From, double>) {
    return static_cast<To>(canonical(round_to_odd(x)));
  } else {
    return static_cast<To>(canonical(x));
  }
}

template <class To, std::integral From>
To round_integer(From x) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(x);
  } else {
    return round_float<To>(sticky_double(x));
  }
}

/// One number from one dtype's type into another's, as numbers.hpp documents.
template <class To, class From>
To convert(From from) {
  const auto x = widen(from);
  using Wide = std::remove_const_t<decltype(x)>;
  if constexpr (std::is_same_v<To, Bool>) {
    return Bool{static_cast<std::uint8_t>(x != Wide{0})};
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<Wide>) {
    return static_cast<To>(x);
  } else if constexpr (std::is_integral_v<To>) {
    return saturate<To>(x);
  } else if constexpr (std::is_integral_v<Wide>) {
    return round_integer<To>(x);
  } else {
    return round_float<To>(x);
  }
}

}  // namespace kbsim::replay
