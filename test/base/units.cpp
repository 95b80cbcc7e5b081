#include <doctest/doctest.h>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
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
