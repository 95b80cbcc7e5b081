#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "sanitized.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;
using Numbers = std::vector<double>;

constexpr std::array kOps{BinaryOp::add, BinaryOp::sub,     BinaryOp::mul,
                          BinaryOp::div, BinaryOp::maximum, BinaryOp::minimum};

Buffer compute(BinaryOp op, const Buffer& a, const Buffer& b, DType dtype) {
  Graph g;
  const oplog::Operand x = g.literal_bytes(a, dtype);
  const oplog::Operand y = g.literal_bytes(b, dtype);
  return Replay{g.log}.evaluate(g.binary(op, x, y));
}

double extreme(bool greatest, double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) == greatest ? b : a;
  return (a < b) == greatest ? b : a;
}

/// In T arithmetic, the reference of one element.
template <class T>
T reference(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::maximum: return static_cast<T>(extreme(true, a, b));
    case BinaryOp::minimum: return static_cast<T>(extreme(false, a, b));
    default: break;
  }
  return 0;
}

template <class T>
Buffer reference(BinaryOp op, const Buffer& a, const Buffer& b, DType dtype) {
  const Numbers x = to_doubles(a, dtype);
  const Numbers y = to_doubles(b, dtype);
  Numbers result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.push_back(reference<T>(op, static_cast<T>(x[i]), static_cast<T>(y[y.size() == 1 ? 0 : i])));
  }
  return from_doubles(result, dtype);
}

/// Any bits at all, so that NaNs, infinities and denormals come up; every fourth element is one of these.
Buffer random_floats(std::mt19937& random, std::int64_t count, DType dtype) {
  constexpr std::array<double, 11> kSpecial{0.0,    -0.0, INFINITY, -INFINITY, NAN,  1e-45,
                                            -1e-40, 6e-8, 3e-5,     65504.0,   1e308};
  Buffer bytes(static_cast<std::size_t>(Shape{count}.bytes(dtype).count()));
  for (std::byte& byte : bytes) byte = std::byte(random() & 0xff);
  Numbers numbers = to_doubles(bytes, dtype);
  for (std::size_t i = 0; i < numbers.size(); i += 4) numbers[i] = kSpecial[random() % kSpecial.size()];
  return from_doubles(numbers, dtype);
}

TEST_CASE("binary: on floats rounds the f32 or f64 result once, for any bits") {
  for (unsigned seed = 0; seed < kbsim::test::fewer(300); ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 100);
    const std::int64_t second = random() % 4 == 0 ? 1 : count;
    for (const DType dtype : {f16, bf16, f32, f64, DType::f8e4m3, DType::f8e5m2}) {
      const Buffer a = random_floats(random, count, dtype);
      const Buffer b = random_floats(random, second, dtype);
      for (const BinaryOp op : kOps) {
        CAPTURE(to_string(dtype));
        CAPTURE(to_string(op));
        const Buffer expected =
            dtype == f64 ? reference<double>(op, a, b, dtype) : reference<float>(op, a, b, dtype);
        REQUIRE(compute(op, a, b, dtype) == expected);
      }
    }
  }
}

TEST_CASE("binary: f16 addition of all 65536 codes to each of some numbers") {
  Buffer all;
  for (int code = 0; code < 65536; ++code) {
    all.push_back(std::byte(code & 0xff));
    all.push_back(std::byte(code >> 8));
  }
  for (const double other : Numbers{0.0, -0.0, 1.0, -65504.0, 0x1p-24, 0.1, 2049.0, INFINITY}) {
    const Buffer b = from_doubles(Numbers{other}, f16);
    CHECK(compute(BinaryOp::add, all, b, f16) == reference<float>(BinaryOp::add, all, b, f16));
    CHECK(compute(BinaryOp::mul, all, b, f16) == reference<float>(BinaryOp::mul, all, b, f16));
  }
}

TEST_CASE("binary: maximum and minimum ignore NaN beside a number, and order the zeros") {
  const Buffer a = from_doubles(Numbers{NAN, 1, NAN, -0.0, 0.0, -INFINITY}, f32);
  const Buffer b = from_doubles(Numbers{2, NAN, NAN, 0.0, -0.0, 5}, f32);
  CHECK(compute(BinaryOp::maximum, a, b, f32) == from_doubles(Numbers{2, 1, NAN, 0.0, 0.0, 5}, f32));
  CHECK(compute(BinaryOp::minimum, a, b, f32) ==
        from_doubles(Numbers{2, 1, NAN, -0.0, -0.0, -INFINITY}, f32));
}

/// The mathematical result, which fits 128 bits; the dtype keeps its low bits.
__int128 exact(BinaryOp op, __int128 a, __int128 b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::maximum: return a < b ? b : a;
    case BinaryOp::minimum: return a < b ? a : b;
    default: break;
  }
  return 0;
}

template <class T>
void check_integers(std::mt19937_64& random, DType dtype) {
  using Limits = std::numeric_limits<T>;
  const std::array<T, 5> special{Limits::min(), Limits::max(), T{1}, static_cast<T>(-1), T{2}};
  std::vector<T> a(64);
  std::vector<T> b(64);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = random() % 2 == 0 ? special[random() % special.size()] : static_cast<T>(random());
    b[i] = random() % 2 == 0 ? special[random() % special.size()] : static_cast<T>(random() | 1);
    if (b[i] == 0) b[i] = 1;
  }
  const auto bytes = [](const std::vector<T>& items) {
    const auto view = std::as_bytes(std::span{items});
    return Buffer(view.begin(), view.end());
  };
  for (const BinaryOp op : kOps) {
    CAPTURE(to_string(dtype));
    CAPTURE(to_string(op));
    std::vector<T> expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] = static_cast<T>(exact(op, a[i], b[i]));
    REQUIRE(compute(op, bytes(a), bytes(b), dtype) == bytes(expected));
  }
}

TEST_CASE("binary: integers wrap around, at their extremes too, and divide toward zero") {
  std::mt19937_64 random{7};
  for (int round = 0; round < 100; ++round) {
    check_integers<std::int8_t>(random, DType::i8);
    check_integers<std::int16_t>(random, DType::i16);
    check_integers<std::int32_t>(random, DType::i32);
    check_integers<std::int64_t>(random, DType::i64);
    check_integers<std::uint8_t>(random, DType::u8);
  }
}

TEST_CASE("binary: a float division by zero is an infinity or NaN, an integer one a fault") {
  const Numbers zero{0};
  CHECK(compute(BinaryOp::div, from_doubles(Numbers{1, -1, 0}, f16), from_doubles(zero, f16), f16) ==
        from_doubles(Numbers{INFINITY, -INFINITY, NAN}, f16));
  CHECK_THROWS_AS(compute(BinaryOp::div, from_doubles(zero, i32), from_doubles(zero, i32), i32), KernelFault);
}

}  // namespace
}  // namespace kbsim::replay
