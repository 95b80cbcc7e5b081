#include "kbsim/topology/range_allocator.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::topology;

TEST_CASE("RangeAllocator: takes the first hole that fits, aligned") {
  RangeAllocator ranges{"m", 0x100, 0x100_B};
  CHECK(ranges.allocate(0x11_B) == 0x100);
  CHECK(ranges.allocate(0x10_B, 0x20_B) == 0x120);
  CHECK(ranges.allocate(0x08_B) == 0x111);  // in the gap that alignment left
  CHECK(ranges.free_bytes() == Bytes{0x100 - 0x11 - 0x10 - 0x08});
  CHECK(ranges.largest_free() == Bytes{0x200 - 0x130});
}

TEST_CASE("RangeAllocator: freed neighbours join on both sides and are reused") {
  RangeAllocator ranges{"m", 0, 30_B};
  const auto a = ranges.allocate(10_B);
  const auto b = ranges.allocate(10_B);
  const auto c = ranges.allocate(10_B);
  CHECK(ranges.free_bytes() == 0_B);
  CHECK(ranges.largest_free() == 0_B);
  ranges.free(a);
  ranges.free(c);
  CHECK(ranges.largest_free() == 10_B);
  ranges.free(b);
  CHECK(ranges.largest_free() == 30_B);
  CHECK(ranges.allocate(30_B) == 0);
}

TEST_CASE("RangeAllocator: running out says what was asked, what is left, and where") {
  RangeAllocator ranges{"sip0.cube0.pe3 hbm", 0, 4_KiB};
  const auto a = ranges.allocate(1_KiB);
  (void)ranges.allocate(1_KiB);
  ranges.free(a);
  CHECK_THROWS_WITH_AS(
      (void)ranges.allocate(3_KiB, 64_B),
      "sip0.cube0.pe3 hbm: asked for 3 KiB aligned to 64 B, but of 4 KiB only 3 KiB are left, "
      "2 KiB in one piece",
      AllocationError);
  CHECK(ranges.free_bytes() == 3_KiB);
}

TEST_CASE("RangeAllocator: a full or empty range has nothing to give") {
  RangeAllocator empty{"nothing", 0, 0_B};
  CHECK(empty.largest_free() == 0_B);
  CHECK_THROWS_AS((void)empty.allocate(1_B), AllocationError);
}

TEST_CASE("RangeAllocator: freeing twice, inside a block or elsewhere is refused") {
  RangeAllocator ranges{"m", 0x100, 0x100_B};
  const auto a = ranges.allocate(16_B);
  CHECK_THROWS_WITH_AS(ranges.free(a + 4),
                       "0x104 (m+0x4) is not the start of a block: freed twice, or never allocated",
                       AllocationError);
  CHECK_THROWS_WITH_AS(ranges.free(0x80), "0x80 is not an address of m, which has 0x100 to 0x200",
                       AllocationError);
  CHECK_THROWS_AS(ranges.free(0x200), AllocationError);
  ranges.free(a);
  CHECK_THROWS_AS(ranges.free(a), AllocationError);
  CHECK(ranges.free_bytes() == 0x100_B);
}

TEST_CASE("RangeAllocator: sizes and alignments are positive") {
  RangeAllocator ranges{"m", 0, 16_B};
  CHECK_THROWS_WITH_AS((void)ranges.allocate(0_B), "m: asked for 0 B aligned to 1 B, expected both positive",
                       UsageError);
  CHECK_THROWS_AS((void)ranges.allocate(Bytes{-1}), UsageError);
  CHECK_THROWS_AS((void)ranges.allocate(1_B, 0_B), UsageError);
  CHECK_THROWS_WITH_AS((RangeAllocator{"m", 0, Bytes{-4}}), "m: size is -4, expected 0 or more", UsageError);
}
