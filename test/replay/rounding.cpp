#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {
namespace {

using Numbers = std::vector<double>;

std::vector<std::uint16_t> words(const Buffer& buffer) {
  std::vector<std::uint16_t> out(buffer.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint16_t>(std::to_integer<int>(buffer[2 * i]) |
                                        std::to_integer<int>(buffer[2 * i + 1]) << 8);
  }
  return out;
}

Buffer all_codes(int count, int itemsize) {
  Buffer bytes;
  for (int code = 0; code < count; ++code) {
    bytes.push_back(std::byte(code & 0xff));
    if (itemsize == 2) bytes.push_back(std::byte(code >> 8));
  }
  return bytes;
}

/// A binary float with `mantissa` stored bits and `exponent` exponent bits, decoded by its definition.
double decoded(int code, int exponent_bits, int mantissa) {
  const int field = code >> mantissa & ((1 << exponent_bits) - 1);
  const int fraction = code & ((1 << mantissa) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const bool negative = (code >> (mantissa + exponent_bits) & 1) != 0;
  const int implicit = field == 0 ? 0 : 1 << mantissa;
  const double magnitude = std::ldexp(implicit + fraction, std::max(field, 1) - bias - mantissa);
  return negative ? -magnitude : magnitude;
}

struct Format {
  DType dtype;
  int exponent_bits;
  int mantissa;
  int codes;     // of both signs
  int finite;    // positive finite codes: [0, finite)
  int overflow;  // what the rounding of a number beyond the range gives
  int quiet_nan;
};
constexpr std::array<Format, 4> kFormats{{{f16, 5, 10, 65536, 0x7c00, 0x7c00, 0x7e00},
                                          {bf16, 8, 7, 65536, 0x7f80, 0x7f80, 0x7fc0},
                                          {DType::f8e4m3, 4, 3, 256, 0x7f, 0x7f, 0x7f},
                                          {DType::f8e5m2, 5, 2, 256, 0x7c, 0x7c, 0x7e}}};

int code_of(double x, const Format& format) {
  const Buffer bytes = from_doubles(Numbers{x}, format.dtype);
  return bytes.size() == 2 ? words(bytes)[0] : std::to_integer<int>(bytes[0]);
}

TEST_CASE("Rounding: every finite code of a narrow float decodes by its definition and comes back") {
  for (const Format& format : kFormats) {
    CAPTURE(to_string(format.dtype));
    const Numbers numbers = to_doubles(all_codes(format.codes, itemsize(format.dtype)), format.dtype);
    int wrong = 0;
    for (int code = 0; code < format.codes; ++code) {
      if (code % (format.codes / 2) >= format.finite) continue;
      const double x = numbers[static_cast<std::size_t>(code)];
      const bool right = std::bit_cast<std::uint64_t>(x) ==
                         std::bit_cast<std::uint64_t>(decoded(code, format.exponent_bits, format.mantissa));
      wrong += right && code_of(x, format) == code ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Rounding: halfway between two neighbours goes to the even one, anything else to the nearer") {
  for (const Format& format : kFormats) {
    CAPTURE(to_string(format.dtype));
    const auto value = [&](int code) { return decoded(code, format.exponent_bits, format.mantissa); };
    int wrong = 0;
    for (int code = 0; code < format.finite; ++code) {
      const int above = code + 1 == format.finite ? format.overflow : code + 1;
      const double half = (value(code) + value(code + 1)) / 2;  // the next code's value, were it finite
      const int even = code % 2 == 0 ? code : above;
      const bool right = code_of(half, format) == even &&
                         code_of(std::nextafter(half, 0.0), format) == code &&
                         code_of(std::nextafter(half, 1e300), format) == above;
      const int sign = format.codes / 2;
      const bool mirrored = even == format.quiet_nan || code_of(-half, format) == (even | sign);
      wrong += right && mirrored ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Rounding: infinities, NaN and zeros") {
  for (const Format& format : kFormats) {
    CAPTURE(to_string(format.dtype));
    CHECK(code_of(INFINITY, format) == format.overflow);
    CHECK(code_of(1e300, format) == format.overflow);
    CHECK(code_of(NAN, format) == format.quiet_nan);
    CHECK(code_of(-NAN, format) == format.quiet_nan);
    CHECK(code_of(0.0, format) == 0);
    CHECK(code_of(-0.0, format) == format.codes / 2);
    CHECK(code_of(-1e-300, format) == format.codes / 2);
  }
}

TEST_CASE("Rounding: f8 has the OCP specification's extremes") {
  CHECK(to_doubles(from_doubles(Numbers{448, 464, 465, -465}, DType::f8e4m3), DType::f8e4m3)[1] == 448);
  CHECK(code_of(465, kFormats[2]) == 0x7f);
  CHECK(code_of(-465, kFormats[2]) == 0x7f);
  CHECK(code_of(0x1p-9, kFormats[2]) == 1);
  CHECK(code_of(57344, kFormats[3]) == 0x7b);
  CHECK(code_of(-61440, kFormats[3]) == 0xfc);
  CHECK(code_of(0x1p-16, kFormats[3]) == 1);
}

/// The code of the nearest of all positive finite numbers of a format, found by search.
class Nearest {
 public:
  explicit Nearest(const Format& format) : format_{format} {
    for (int code = 0; code <= format.finite; ++code) {  // the last, where infinity stands, as if finite
      values_.push_back(decoded(code, format.exponent_bits, format.mantissa));
    }
  }
  [[nodiscard]] int code(double x) const {
    const auto above = std::ranges::lower_bound(values_, std::abs(x));
    if (above == values_.end()) return signed_code(format_.finite, x);
    const int code = static_cast<int>(above - values_.begin());
    if (code == 0) return signed_code(0, x);
    const double up = *above - std::abs(x);
    const double down = std::abs(x) - *std::prev(above);
    return signed_code(down < up || (down == up && code % 2 != 0) ? code - 1 : code, x);
  }

 private:
  [[nodiscard]] int signed_code(int code, double x) const {
    if (code == format_.finite && format_.overflow == format_.quiet_nan) return format_.quiet_nan;
    return std::signbit(x) ? code + format_.codes / 2 : code;
  }
  Format format_;
  std::vector<double> values_;
};

TEST_CASE("Rounding: any f32 goes to the nearest code, ties to the even one") {
  for (const Format& format : kFormats) {
    CAPTURE(to_string(format.dtype));
    const Nearest nearest{format};
    std::mt19937 random{1};
    int wrong = 0;
    for (int i = 0; i < 200'000; ++i) {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (!std::isnan(x)) wrong += code_of(x, format) == nearest.code(x) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Rounding: a double is rounded once, not by way of f32") {
  const double above_half = 1.0 + 0x1p-11 + 0x1p-40;  // in f32 exactly halfway between two f16
  CHECK(to_doubles(from_doubles(Numbers{above_half}, f16), f16)[0] == 1.0 + 0x1p-10);
  const double above_half_bf16 = 1.0 + 0x1p-8 + 0x1p-40;
  CHECK(to_doubles(from_doubles(Numbers{above_half_bf16}, bf16), bf16)[0] == 1.0 + 0x1p-7);
}

}  // namespace
}  // namespace kbsim::replay
