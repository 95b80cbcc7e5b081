#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/virtual_memory.hpp"

using namespace kbsim;
using namespace kbsim::topology;

TEST_CASE("VirtualAllocator: hands out whole pages from 0x1_0000_0000 on") {
  VirtualAllocator space;
  CHECK(space.allocate(1_B) == 0x1'0000'0000);
  CHECK(space.allocate(4097_B) == 0x1'0000'1000);
  CHECK(space.allocate(4_KiB) == 0x1'0000'3000);
  CHECK(space.free_bytes() == 64_GiB - 16_KiB);
}

TEST_CASE("VirtualAllocator: freed ranges are reused") {
  VirtualAllocator space;
  const auto a = space.allocate(8_KiB);
  (void)space.allocate(4_KiB);
  space.free(a);
  CHECK(space.allocate(8_KiB) == a);
  CHECK_THROWS_AS(space.free(a + 4096), AllocationError);
}

TEST_CASE("VirtualAllocator: 64 GiB and no more") {
  VirtualAllocator space;
  (void)space.allocate(64_GiB);
  CHECK_THROWS_WITH_AS(
      (void)space.allocate(1_B),
      "virtual memory: asked for 4 KiB aligned to 4 KiB, but of 64 GiB only 0 B are left, 0 B in "
      "one piece",
      AllocationError);
  CHECK_THROWS_AS((void)VirtualAllocator{}.allocate(0_B), UsageError);
}
