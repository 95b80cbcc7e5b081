#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"

using namespace kbsim;

TEST_CASE("Bandwidth: serialization is ceil(1000 n / GBps) picoseconds, exactly") {
  CHECK(serialization(256_B, Bandwidth::gbs(256.0)) == 1_ns);
  CHECK(serialization(256_B, Bandwidth::gbs(204.8)) == 1250_ps);
  CHECK(serialization(1_B, Bandwidth::gbs(256.0)) == 4_ps);  // 3.90625 rounded up
  CHECK(serialization(0_B, Bandwidth::gbs(1.0)) == 0_ps);
  CHECK(serialization(Bytes{1LL << 50}, Bandwidth::gbs(3.0)) == Time{((1LL << 50) * 1000LL + 2) / 3});
}

TEST_CASE("Bandwidth: orders by rate and refuses what is not a rate") {
  CHECK(Bandwidth::gbs(204.8) < Bandwidth::gbs(256.0));
  CHECK(Bandwidth::gbs(204.8).gbs() == doctest::Approx(204.8));
  CHECK_THROWS_AS((void)Bandwidth::gbs(0.0), UsageError);
  CHECK_THROWS_AS((void)Bandwidth::gbs(-4.0), UsageError);
  CHECK_THROWS_AS((void)Bandwidth::gbs(1.0 / 0.0), UsageError);
}

TEST_CASE("Time: prints exact nanoseconds") {
  CHECK(to_string(12345_ps) == "12.345 ns");
  CHECK(to_string(7_ns) == "7 ns");
  CHECK(to_string(-1500_ps) == "-1.5 ns");
  CHECK(from_ns(0.01) == 10_ps);
  CHECK_THROWS_AS((void)from_ns(1e300), UsageError);
}

TEST_CASE("Bytes: reads and prints binary units") {
  CHECK(parse_bytes("4096") == 4_KiB);
  CHECK(parse_bytes("4KiB") == 4_KiB);
  CHECK(parse_bytes("16 MiB") == 16_MiB);
  CHECK(parse_bytes("1G") == 1_GiB);
  CHECK(to_string(16_MiB) == "16 MiB");
  CHECK(to_string(1000_B) == "1000 B");
  for (const char* bad : {"", "x", "-1", "4 KB/s", "99999999999999TiB"})
    CHECK_THROWS_AS((void)parse_bytes(bad), UsageError);
}

TEST_CASE("Time: sums and multiples beyond what it can hold are refused") {
  CHECK(times(3, 4_ns) == 12_ns);
  CHECK(later(3_ns, 4_ns) == 7_ns);
  CHECK_THROWS_WITH_AS((void)times(2, kForever), doctest::Contains("is beyond simulated time"), UsageError);
  CHECK_THROWS_WITH_AS((void)later(1_ps, kForever), doctest::Contains("is beyond simulated time"),
                       UsageError);
}

TEST_CASE("Shape: counts as far as a memory may reach, and no farther") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  static_assert(Shape{3, 4}.elements() == 12 && Shape{}.elements() == 1 && Shape{3, 0}.elements() == 0);
  CHECK(Shape{kMostElements}.bytes(f64) == Bytes{8 * kMostElements});
  for (const Shape& huge : {Shape{kMostElements, 2}, Shape{1LL << 32, 1LL << 32}, Shape{kMost, kMost, kMost},
                            Shape{-kMost, 2}, Shape{1LL << 62, 4}}) {
    CHECK_FALSE(huge.count());
    CHECK_THROWS_AS((void)huge.elements(), UsageError);
    CHECK_THROWS_AS((void)huge.bytes(DType::i8), UsageError);
  }
}
