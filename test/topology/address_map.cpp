#include <algorithm>
#include <random>
#include <span>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/virtual_memory.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

PhysAddr hbm(std::int64_t offset) { return PhysAddr::hbm(0, 0, Bytes{offset}); }

AddressMap two_mappings() {  // [100, 110) and [120, 130)
  AddressMap map;
  map.insert({.va = 120, .pa = hbm(5000), .bytes = 10_B});
  map.insert({.va = 100, .pa = hbm(9000), .bytes = 10_B});
  return map;
}

}  // namespace

TEST_CASE("AddressMap: translates a range into its pieces, in order") {
  AddressMap map = two_mappings();
  map.insert({.va = 110, .pa = hbm(0), .bytes = 10_B});
  const Translation found = map.lookup(105, 20_B);
  CHECK(found.complete());
  CHECK(found.pieces == PhysRanges{{hbm(9005), 5_B}, {hbm(0), 10_B}, {hbm(5000), 5_B}});
}

TEST_CASE("AddressMap: names the first address that isn't mapped") {
  const AddressMap map = two_mappings();
  CHECK(map.lookup(50, 4_B).unmapped == 50);
  CHECK(map.lookup(50, 4_B).pieces.empty());
  CHECK(map.lookup(105, 20_B).unmapped == 110);
  CHECK(map.lookup(105, 20_B).pieces == PhysRanges{{hbm(9005), 5_B}});
  CHECK(map.lookup(129, 2_B).unmapped == 130);
  CHECK(map.lookup(500, 0_B).complete());
}

TEST_CASE("AddressMap: mappings don't overlap and aren't empty") {
  AddressMap map = two_mappings();
  CHECK_THROWS_WITH_AS(
      map.insert({.va = 109, .pa = hbm(0), .bytes = 2_B}),
      "can't map 0x6d to 0x6f at sip0.cube0 hbm+0x0: 0x64 to 0x6e at sip0.cube0 hbm+0x2328 is "
      "mapped already",
      AllocationError);
  CHECK_THROWS_AS(map.insert({.va = 90, .pa = hbm(0), .bytes = 100_B}), AllocationError);
  CHECK_THROWS_WITH_AS(map.insert({.va = 90, .pa = hbm(0), .bytes = 0_B}),
                       "can't map 0 bytes at 0x5a, expected 1 or more", UsageError);
  map.insert({.va = 110, .pa = hbm(0), .bytes = 10_B});  // touches both neighbours
  CHECK(map.mappings().size() == 3);
}

TEST_CASE("AddressMap: erase unmaps what is in the range and cuts what reaches out of it") {
  AddressMap map = two_mappings();
  map.erase(105, 20_B);
  CHECK(map.mappings() == std::vector<Mapping>{{100, hbm(9000), 5_B}, {125, hbm(5005), 5_B}});
  map.erase(127, 1_B);
  CHECK(map.mappings() ==
        std::vector<Mapping>{{100, hbm(9000), 5_B}, {125, hbm(5005), 2_B}, {128, hbm(5008), 2_B}});
  map.erase(0, 1000_B);
  CHECK(map.mappings().empty());
}

TEST_CASE("AddressMap: erasing nothing is refused") {
  AddressMap map = two_mappings();
  CHECK_THROWS_WITH_AS(map.erase(110, 10_B), "can't unmap 0x6e to 0x78: nothing is mapped there",
                       AllocationError);
  CHECK_THROWS_WITH_AS(map.erase(100, 0_B), "can't unmap 0 bytes at 0x64, expected 1 or more", UsageError);
  CHECK(map.mappings().size() == 2);
}

TEST_CASE("AddressMap: knows the nearest mapping") {
  const AddressMap map = two_mappings();
  CHECK(AddressMap{}.nearest(5) == std::nullopt);
  CHECK(map.nearest(5)->va == 100);
  CHECK(map.nearest(105)->va == 100);
  CHECK(map.nearest(112)->va == 100);
  CHECK(map.nearest(118)->va == 120);
  CHECK(map.nearest(999)->va == 120);
}

TEST_CASE("AddressMap: translates as a map of single bytes does, over random programs") {
  constexpr std::size_t kSize = 200;
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    AddressMap map;
    std::vector<std::int64_t> model(kSize, -1);  // the HBM offset of each address
    for (int step = 0; step < 60; ++step) {
      const std::size_t va = random() % kSize;
      const std::size_t n = 1 + random() % std::min<std::size_t>(kSize - va, 20);
      const Bytes bytes{static_cast<std::int64_t>(n)};
      const auto range = std::span{model}.subspan(va, n);
      const bool any = std::ranges::any_of(range, [](std::int64_t o) { return o >= 0; });
      if (random() % 2 == 0) {
        const std::int64_t offset = step * 1000;
        const Mapping mapping{.va = va, .pa = hbm(offset), .bytes = bytes};
        if (any) {
          CHECK_THROWS_AS(map.insert(mapping), AllocationError);
        } else {
          map.insert(mapping);
          for (std::size_t i = 0; i < n; ++i) range[i] = offset + static_cast<std::int64_t>(i);
        }
      } else if (any) {
        map.erase(va, bytes);
        std::ranges::fill(range, -1);
      } else {
        CHECK_THROWS_AS(map.erase(va, bytes), AllocationError);
      }
      std::size_t at = random() % kSize;
      const Translation found = map.lookup(at, Bytes{static_cast<std::int64_t>(kSize - at)});
      for (const PhysRange& piece : found.pieces) {
        for (std::int64_t i = 0; i < piece.bytes.count(); ++i) CHECK(hbm(model[at++]) == piece.pa + Bytes{i});
      }
      CHECK(found.complete() == (at == kSize));
      if (found.unmapped) {
        CHECK(*found.unmapped == at);
        CHECK(model[at] == -1);
      }
    }
  }
}
