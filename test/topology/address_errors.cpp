#include <optional>
#include <random>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/address.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

void check_refused(std::uint64_t bits, const std::string& text) {
  CAPTURE(bits);
  CHECK_THROWS_WITH_AS((void)PhysAddr::from_bits(bits).decode(), text.c_str(), UsageError);
}

}  // namespace

TEST_CASE("PhysAddr: making one names the field that is out of range") {
  CHECK_THROWS_WITH_AS((void)PhysAddr::hbm(256, 0, 0_B), "physical address: sip is 256, expected 0 to 255",
                       UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::hbm(0, -1, 0_B), "physical address: cube is -1, expected 0 to 31",
                       UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::pe_tcm({.pe = 1024}, 0_B),
                       "physical address: pe_id is 1024, expected 0 to 1023", UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::encode({.pe = 1, .region = Region::sram}),
                       "physical address: pe_id is 1, expected 0 to 0", UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::pe_ipcq({}, 64_MiB),
                       "physical address: ipcq offset is 67108864, expected 0 to 67108863", UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::pe_tcm({}, Bytes{-1}),
                       "physical address: tcm offset is -1, expected 0 to 268435455", UsageError);
}

TEST_CASE("PhysAddr: an offset beyond every region's end is refused") {
  for (const RegionInfo& row : kRegions) {
    CAPTURE(row.name);
    const auto region = static_cast<Region>(&row - kRegions.data());
    CHECK_THROWS_AS((void)PhysAddr::encode({.region = region, .offset = row.size}), UsageError);
  }
}

TEST_CASE("PhysAddr: an HBM slice lies in the window, and its offsets in the slice") {
  CHECK_THROWS_WITH_AS((void)PhysAddr::pe_hbm({.pe = 3}, 6_B, 6_B),
                       "physical address: offset in the hbm slice is 6, expected 0 to 5", UsageError);
  CHECK_THROWS_WITH_AS((void)PhysAddr::pe_hbm({.pe = 15}, 0_B, 9_GiB),
                       "physical address: hbm slice is 9663676416, expected 1 to 8589934592", UsageError);
  CHECK_THROWS_AS((void)PhysAddr::pe_hbm({}, 0_B, 0_B), UsageError);
  CHECK_THROWS_AS((void)PhysAddr::pe_hbm({.pe = -1}, 0_B, 1_GiB), UsageError);
}

TEST_CASE("PhysAddr: more than 57 bits are refused") {
  CHECK_THROWS_WITH_AS((void)PhysAddr::from_bits(1ULL << 57),
                       "physical address: 0x200000000000000 has more than 57 bits", UsageError);
}

TEST_CASE("PhysAddr: decoding a hole names its field") {
  check_refused(0x1a00'0000,
                "physical address: sub_offset is 0x1a000000, expected none of the reserved range");
  check_refused(0x1fff'ffff,
                "physical address: sub_offset is 0x1fffffff, expected none of the reserved range");
  check_refused(1ULL << 29, "physical address: ext is 0x1, expected 0");
  check_refused(3ULL << 34, "physical address: unit_type is 0x3, expected 0 (PE), 1 (M_CPU) or 2 (SRAM)");
  check_refused(2ULL << 34 | 5ULL << 30, "physical address: pe_id is 5, expected 0 to 0");
}

TEST_CASE("PhysAddr: any 51 bits decode to what encodes to them, or are refused") {
  std::mt19937_64 random{2};
  int decoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    const PhysAddr address = PhysAddr::from_bits(random() >> 13);
    std::optional<Location> at;
    try {
      at = address.decode();
    } catch (const UsageError&) {
      continue;
    }
    CHECK(PhysAddr::encode(*at) == address);
    ++decoded;
  }
  CHECK(decoded > 10'000);  // the HBM windows are half of all
}
