#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace kbsim::replay {

/// An 8-bit float of the OCP FP8 specification: sign, exponent, mantissa. MaxFinite, Infinity and NaN are
/// its codes without sign; a format without infinities names NaN for both.
template <int Mantissa, int MinExponent, int MaxFinite, int Infinity, int NaN>
struct Float8 {
  static constexpr int kMantissa = Mantissa;        // stored bits
  static constexpr int kMinExponent = MinExponent;  // of normal numbers
  static constexpr int kMaxExponent = (MaxFinite >> Mantissa) - 1 + MinExponent;
  std::uint8_t code = 0;

  [[nodiscard]] static Float8 nan() { return {static_cast<std::uint8_t>(NaN)}; }

  /// Rounded to nearest even.
  [[nodiscard]] static Float8 from(double x) {
    if (std::isnan(x)) return nan();
    const int sign = std::signbit(x) ? 0x80 : 0;
    const int magnitude = std::isinf(x) ? Infinity : std::min(rounded(std::abs(x)), int{Infinity});
    if (magnitude <= MaxFinite) return {static_cast<std::uint8_t>(sign | magnitude)};
    return Infinity == NaN ? nan() : Float8{static_cast<std::uint8_t>(sign | Infinity)};
  }

  [[nodiscard]] float value() const {
    static const std::array<float, 256> table = decoded();
    return table[code];
  }

 private:
  // In units of its binade's spacing, x is an integer whose implicit bit carries into the exponent's field.
  static int rounded(double x) {
    const int exponent = x == 0.0 ? MinExponent : std::max(std::ilogb(x), MinExponent);
    constexpr int kBeyond = 16;  // any exponent beyond the format's
    if (exponent > kBeyond) return Infinity;
    const double units = std::nearbyint(std::scalbn(x, Mantissa - exponent));
    return ((exponent - MinExponent) << Mantissa) + static_cast<int>(units);
  }

  static float magnitude(int bits) {
    if (bits > MaxFinite) return bits == Infinity && Infinity != NaN ? HUGE_VALF : std::nanf("");
    const int field = bits >> Mantissa;
    const int implicit = field == 0 ? 0 : 1 << Mantissa;
    const int units = implicit + (bits & ((1 << Mantissa) - 1));
    return std::scalbn(static_cast<float>(units), std::max(field - 1, 0) + MinExponent - Mantissa);
  }

  static std::array<float, 256> decoded() {
    std::array<float, 256> table{};
    for (int bits = 0; bits < 128; ++bits) {
      const float positive = magnitude(bits);
      table[static_cast<std::size_t>(bits)] = positive;
      table[static_cast<std::size_t>(bits + 128)] = -positive;
    }
    return table;
  }
};

using F8E4M3 = Float8<3, -6, 0x7e, 0x7f, 0x7f>;
using F8E5M2 = Float8<2, -14, 0x7b, 0x7c, 0x7e>;

}  // namespace kbsim::replay
