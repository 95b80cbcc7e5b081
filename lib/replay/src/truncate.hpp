#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "convert.hpp"

namespace kbsim::replay {

/// The number whose code is one less: of two neighbours of one sign the one nearer to zero; for a code just
/// beyond the range, the largest finite number.
template <class T>
T next_toward_zero(T x) {
  using Code = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
  static_assert(sizeof(T) == sizeof(Code));
  return std::bit_cast<T>(static_cast<Code>(std::bit_cast<Code>(x) - 1));
}

/// The code just beyond the numbers of an 8-bit format that has no infinities.
template <class To>
To beyond(bool negative) {
  return To{static_cast<std::uint8_t>(To::nan().code | (negative ? 0x80 : 0))};
}

/// x rounded toward zero. Infinities and NaN become what they do when rounded to nearest.
template <class To, std::floating_point From>
To toward_zero(From x) {
  const To nearest = round_float<To>(x);
  if (!std::isfinite(x)) return nearest;
  const double found = widen(nearest);
  if constexpr (std::is_same_v<To, F8E4M3>) {
    if (std::isnan(found)) return next_toward_zero(beyond<To>(std::signbit(x)));
  }
  return std::abs(found) > std::abs(static_cast<double>(x)) ? next_toward_zero(nearest) : nearest;
}

}  // namespace kbsim::replay
