#include "kbsim/topology/address.hpp"

#include <random>

#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr std::array kEveryRegion{Region::tcm,    Region::ipcq,  Region::scratchpad, Region::regfile,
                                  Region::status, Region::m_cpu, Region::sram,       Region::hbm};

void check_inverse(const Location& at) {
  const PhysAddr address = PhysAddr::encode(at);
  CAPTURE(to_string(at));
  CHECK(address.decode() == at);
  CHECK(PhysAddr::encode(address.decode()) == address);
  CHECK(PhysAddr::from_bits(address.bits()) == address);
  CHECK(address.bits() < std::uint64_t{1} << (at.pe < 16 ? 51 : 57));
}

}  // namespace

TEST_CASE("PhysAddr: fields stand where the 51-bit layout puts them") {
  CHECK(PhysAddr{}.bits() == 0);
  CHECK(PhysAddr::pe_tcm({.sip = 1, .cube = 2, .pe = 3}, 0x45_B).bits() ==
        (1ULL << 43 | 2ULL << 38 | 3ULL << 30 | 0x45));
  CHECK(PhysAddr::pe_ipcq({.pe = 3}, 0x1234_B).bits() == (3ULL << 30 | 0x1000'1234));
  CHECK(PhysAddr::pe_scratchpad({}, 1_B).bits() == 0x1400'0001);
  CHECK(PhysAddr::pe_regfile({}, 1_B).bits() == 0x1800'0001);
  CHECK(PhysAddr::encode({.region = Region::status}).bits() == 0x1900'0000);
  CHECK(PhysAddr::encode({.region = Region::m_cpu}).bits() == 1ULL << 34);
  CHECK(PhysAddr::cube_sram(0, 1, 7_B).bits() == (1ULL << 38 | 2ULL << 34 | 7));
  CHECK(PhysAddr::hbm(0, 0, 7_B).bits() == (1ULL << 37 | 7));
}

TEST_CASE("PhysAddr: PEs beyond the sixteenth have their high bits above the rack") {
  CHECK(PhysAddr::pe_tcm({.pe = 16}, 5_B).bits() == (1ULL << 51 | 5));
  CHECK(PhysAddr::pe_tcm({.sip = 255, .cube = 31, .pe = 1023}, 0_B).bits() ==
        (63ULL << 51 | 255ULL << 43 | 31ULL << 38 | 15ULL << 30));
  CHECK(PhysAddr::pe_hbm({.pe = 1023}, 5_B, 1_MiB).bits() == (1ULL << 37 | 1023ULL << 20 | 5));
}

TEST_CASE("PhysAddr: SIPs beyond the sixteenth are in the next rack") {
  CHECK(PhysAddr::hbm(16, 0, 0_B).bits() == (1ULL << 47 | 1ULL << 37));
  CHECK(PhysAddr::hbm(255, 31, 128_GiB - 1_B).bits() == (1ULL << 51) - 1);
  CHECK(PhysAddr::hbm(37, 0, 0_B).decode().sip == 37);
}

TEST_CASE("PhysAddr: PE p's HBM slice starts at p slices in its cube's window") {
  const PeCoord at{.sip = 1, .cube = 2, .pe = 3};
  CHECK(PhysAddr::pe_hbm(at, 5_B, 6_GiB) == PhysAddr::hbm(1, 2, 18_GiB + 5_B));
  CHECK(PhysAddr::pe_hbm({.pe = 15}, 8_GiB - 1_B, 8_GiB) == PhysAddr::hbm(0, 0, 128_GiB - 1_B));
}

TEST_CASE("PhysAddr: decode and encode are inverse at every region's boundaries") {
  for (const Region region : kEveryRegion) {
    const bool per_pe = info(region).unit == Unit::pe;
    for (const int sip : {0, 15, 16, 255}) {
      for (const int cube : {0, 31}) {
        for (const int pe : {0, per_pe ? 15 : 0}) {
          check_inverse({sip, cube, pe, region, 0_B});
          check_inverse({sip, cube, pe, region, info(region).size - 1_B});
        }
      }
    }
  }
}

TEST_CASE("PhysAddr: decode and encode are inverse over random fields") {
  std::mt19937_64 random{1};
  const auto below = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>{0, n - 1}(random);
  };
  for (int i = 0; i < 20'000; ++i) {
    const Region region = kEveryRegion[static_cast<std::size_t>(below(kEveryRegion.size()))];
    const std::int64_t pes = info(region).unit == Unit::pe ? kMaxPes : 1;
    check_inverse({.sip = static_cast<int>(below(kMaxSips)),
                   .cube = static_cast<int>(below(kMaxCubes)),
                   .pe = static_cast<int>(below(pes)),
                   .region = region,
                   .offset = Bytes{below(info(region).size.count())}});
  }
}

TEST_CASE("PhysAddr: prints as a person reads it") {
  CHECK(to_string(PhysAddr::pe_ipcq({.sip = 1, .cube = 0, .pe = 3}, 0x1234_B)) ==
        "sip1.cube0.pe3 ipcq+0x1234");
  CHECK(to_string(PhysAddr::hbm(0, 2, 0x10_B)) == "sip0.cube2 hbm+0x10");
  CHECK(to_string(PhysAddr::cube_sram(0, 2, 0_B)) == "sip0.cube2 sram+0x0");
  CHECK(to_string(Region::scratchpad) == "scratchpad");
}

TEST_CASE("PhysAddr: counts on in bytes") {
  const PhysAddr a = PhysAddr::pe_tcm({.pe = 3}, 16_B);
  CHECK(a + 48_B == PhysAddr::pe_tcm({.pe = 3}, 64_B));
  CHECK((a + 48_B) - a == 48_B);
  CHECK(a < a + 1_B);
}
