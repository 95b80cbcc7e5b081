#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"

namespace kbsim::replay {
namespace {

using Numbers = std::vector<double>;

template <class T>
Buffer bytes_of(const std::vector<T>& items) {
  Buffer bytes(items.size() * sizeof(T));
  std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

Buffer cast(Buffer from, DType from_type, DType to_type) {
  Graph g;
  const oplog::Operand result = g.cast(g.literal_bytes(std::move(from), from_type), to_type);
  return Replay{g.log}.evaluate(result);
}

Numbers cast_numbers(const Numbers& numbers, DType from, DType to) {
  return to_doubles(cast(from_doubles(numbers, from), from, to), to);
}

TEST_CASE("cast: between any two dtypes keeps the numbers that both have") {
  for (const DTypeInfo& a : kDTypes) {
    for (const DTypeInfo& b : kDTypes) {
      CAPTURE(a.name);
      CAPTURE(b.name);
      const bool boolean = a.name == "bool" || b.name == "bool";
      const bool negative = !boolean && a.is_signed && b.is_signed;
      const Numbers numbers = boolean ? Numbers{0, 1, 1} : Numbers{0, 1, 7, 96, negative ? -12.0 : 12.0};
      CHECK(cast_numbers(numbers, *parse_dtype(a.name), *parse_dtype(b.name)) == numbers);
    }
  }
}

TEST_CASE("cast: floats into integers go toward zero") {
  CHECK(cast_numbers({1.9, -1.9, 0.999, -0.999}, f32, i32) == Numbers{1, -1, 0, 0});
  CHECK(cast_numbers({1.5, -1.5}, f16, DType::i8) == Numbers{1, -1});
}

TEST_CASE("cast: floats beyond an integer dtype saturate, and NaN becomes 0") {
  const Numbers beyond{INFINITY, -INFINITY, NAN, 1e30, -1e30};
  CHECK(cast_numbers(beyond, f32, DType::i8) == Numbers{127, -128, 0, 127, -128});
  CHECK(cast_numbers(beyond, f64, DType::u8) == Numbers{255, 0, 0, 255, 0});
  CHECK(cast_numbers({-0.5, -1.0, 255.9, 256.0}, f32, DType::u8) == Numbers{0, 0, 255, 255});
  CHECK(cast_numbers(beyond, f32, DType::i16) == Numbers{32767, -32768, 0, 32767, -32768});
  CHECK(cast(from_doubles(Numbers{2147483648.0, -2147483649.0}, f64), f64, i32) ==
        bytes_of<std::int32_t>({2147483647, std::numeric_limits<std::int32_t>::min()}));
  CHECK(cast(from_doubles(Numbers{0x1p63, -0x1p63, 0x1p62}, f32), f32, DType::i64) ==
        bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::max(),
                                std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 62}));
}

TEST_CASE("cast: integers into narrower integers are taken modulo") {
  CHECK(cast(bytes_of<std::int64_t>({0x1'0000'0005, -1, 0x1ff}), DType::i64, DType::u8) ==
        bytes_of<std::uint8_t>({5, 255, 255}));
  CHECK(cast(bytes_of<std::int32_t>({40000, -129}), i32, DType::i16) ==
        bytes_of<std::int16_t>({40000 - 65536, -129}));
  CHECK(cast(bytes_of<std::uint8_t>({200}), DType::u8, DType::i8) == bytes_of<std::int8_t>({-56}));
}

TEST_CASE("cast: i64 is rounded once into any float") {
  const std::int64_t above_half = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;  // of bf16's 2^55
  CHECK(to_doubles(cast(bytes_of<std::int64_t>({above_half, -above_half}), DType::i64, bf16), bf16) ==
        Numbers{0x1p62 + 0x1p55, -0x1p62 - 0x1p55});
  CHECK(to_doubles(cast(bytes_of<std::int64_t>({above_half}), DType::i64, f32), f32) ==
        Numbers{static_cast<double>(static_cast<float>(above_half))});
  CHECK(cast(bytes_of<std::int64_t>({above_half}), DType::i64, f64) ==
        bytes_of<double>({static_cast<double>(above_half)}));
}

TEST_CASE("cast: anything but zero is true, and any byte but 0 reads as true") {
  CHECK(cast(from_doubles(Numbers{0, -0.0, 0.25, NAN}, f32), f32, DType::boolean) ==
        bytes_of<std::uint8_t>({0, 0, 1, 1}));
  CHECK(cast(bytes_of<std::uint8_t>({0, 1, 255}), DType::boolean, f16) ==
        from_doubles(Numbers{0, 1, 1}, f16));
}

TEST_CASE("cast: every NaN becomes the positive quiet NaN of its dtype") {
  const Buffer payload = bytes_of<std::uint32_t>({0xffc0'1234, 0x7f80'0001});
  CHECK(cast(payload, f32, f32) == bytes_of<std::uint32_t>({0x7fc0'0000, 0x7fc0'0000}));
  CHECK(cast(payload, f32, f16) == bytes_of<std::uint16_t>({0x7e00, 0x7e00}));
  CHECK(cast(payload, f32, bf16) == bytes_of<std::uint16_t>({0x7fc0, 0x7fc0}));
  CHECK(cast(payload, f32, DType::f8e5m2) == bytes_of<std::uint8_t>({0x7e, 0x7e}));
}

TEST_CASE("element: reads one item of any dtype, and none outside the buffer") {
  const Buffer buffer = from_doubles(Numbers{1, 2.5, -3}, bf16);
  CHECK(element(buffer, bf16, 1) == 2.5);
  CHECK_THROWS_AS(static_cast<void>(element(buffer, bf16, 3)), InternalError);
  CHECK_THROWS_AS(static_cast<void>(element(buffer, bf16, -1)), InternalError);
  CHECK_THROWS_AS(static_cast<void>(to_doubles(buffer, f32)), InternalError);
}

}  // namespace
}  // namespace kbsim::replay
