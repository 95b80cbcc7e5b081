// Casts toward zero, to the bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "kbsim/oplog/rules.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "samples.hpp"

namespace kbsim::replay {
namespace {

Buffer truncated(const Numbers& numbers, DType from, DType to) {
  Graph g;
  const oplog::Operand x = g.literal(numbers, from);
  const oplog::Operand y = g.record(oplog::OpKind::cast, {.round = oplog::Round::rtz}, to, x.shape, {x});
  return Replay{g.log, 1}.evaluate(y);
}

/// All finite numbers of a dtype of 8 or 16 bits that aren't negative, ascending: by its codes.
Numbers magnitudes(DType dtype) {
  Buffer codes;
  for (unsigned code = 0; code < (itemsize(dtype) == 1 ? 0x80U : 0x8000U); ++code) {
    codes.push_back(static_cast<std::byte>(code));
    if (itemsize(dtype) == 2) codes.push_back(static_cast<std::byte>(code >> 8));
  }
  Numbers all = to_doubles(codes, dtype);
  std::erase_if(all, [](double x) { return !std::isfinite(x); });
  return all;
}

double toward_zero_by_search(double x, const Numbers& all) {
  if (!std::isfinite(x)) return x;
  return std::copysign(*std::prev(std::ranges::upper_bound(all, std::abs(x))), x);
}

double toward_zero_by_mask(double x) {  // into f32, of what is normal there
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((std::uint64_t{1} << 29) - 1));
}

TEST_CASE("cast toward zero: into 8 and 16 bits, the largest number that isn't beyond, of either sign") {
  for (const DType from : kFloats) {
    for (const DType to : {f16, bf16, DType::f8e4m3, DType::f8e5m2}) {
      if (!oplog::makes_narrower(from, to)) continue;
      CAPTURE(to_string(from));
      CAPTURE(to_string(to));
      const Numbers all = magnitudes(to);
      Samples samples{static_cast<unsigned>(from) * 16 + static_cast<unsigned>(to)};
      const Numbers numbers = samples.numbers(4000, from);
      Numbers expected;
      for (const double x : numbers) expected.push_back(toward_zero_by_search(x, all));
      CHECK(truncated(numbers, from, to) == from_doubles(expected, to));
    }
  }
}

TEST_CASE("cast toward zero: every number of a narrow dtype stays, its neighbours above fall back to it") {
  for (const DType to : {f16, bf16, DType::f8e4m3, DType::f8e5m2}) {
    CAPTURE(to_string(to));
    const Numbers all = magnitudes(to);
    CHECK(truncated(all, f64, to) == from_doubles(all, to));
    Numbers above;
    for (const double x : all) above.push_back(std::nextafter(-x, -HUGE_VAL));
    Numbers negative;
    for (const double x : all) negative.push_back(-x);
    CHECK(truncated(above, f64, to) == from_doubles(negative, to));
  }
}

TEST_CASE("cast toward zero: f64 into f32 drops the bits that don't fit, and never overflows") {
  std::mt19937_64 random{1};
  Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const auto exponent = std::uniform_int_distribution{1023 - 126, 1023 + 127}(random);
    const std::uint64_t rest = random() & ((std::uint64_t{1} << 63) | ((std::uint64_t{1} << 52) - 1));
    numbers.push_back(std::bit_cast<double>(rest | static_cast<std::uint64_t>(exponent) << 52));
  }
  Numbers expected;
  for (const double x : numbers) expected.push_back(toward_zero_by_mask(x));
  CHECK(truncated(numbers, f64, f32) == from_doubles(expected, f32));
  constexpr double kMost = std::numeric_limits<float>::max();
  CHECK(truncated({1e300, -1e300, 1e-300, -1e-300, 0x1.8p-149}, f64, f32) ==
        from_doubles(Numbers{kMost, -kMost, 0.0, -0.0, 0x1p-149}, f32));
}

TEST_CASE("cast toward zero: infinities and NaN become what they do when rounded to nearest") {
  const Numbers numbers{INFINITY, -INFINITY, NAN};
  for (const DType to : {f32, f16, bf16, DType::f8e4m3, DType::f8e5m2})
    CHECK(truncated(numbers, f64, to) == from_doubles(numbers, to));
  CHECK(to_doubles(truncated({65519.0, 1e9, -1e9}, f32, f16), f16) == Numbers{65504, 65504, -65504});
  CHECK(to_doubles(truncated({449.0, 1e9, -1e9}, f32, DType::f8e4m3), DType::f8e4m3) ==
        Numbers{448, 448, -448});
}

}  // namespace
}  // namespace kbsim::replay
