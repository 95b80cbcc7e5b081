#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"

namespace kbsim::topology {

/// The part of a cube that an address belongs to; the first three are the unit_type field, in this order.
enum class Unit : std::uint8_t { pe, m_cpu, sram, hbm };

/// The ranges of a cube's local addresses. A PE has its own of each of the first five.
enum class Region : std::uint8_t { tcm, ipcq, scratchpad, regfile, status, m_cpu, sram, hbm };

/// A row of the address table: where in the 38-bit local offset a region starts (at pe_id 0), and its size.
struct RegionInfo {
  std::string_view name;
  Unit unit;
  std::uint64_t first;
  Bytes size;
};

/// The source of encoding, decoding, allocation and printing; addresses in no row are reserved.
inline constexpr std::array<RegionInfo, 8> kRegions{{{"tcm", Unit::pe, 0x0000'0000, 256_MiB},
                                                     {"ipcq", Unit::pe, 0x1000'0000, 64_MiB},
                                                     {"scratchpad", Unit::pe, 0x1400'0000, 64_MiB},
                                                     {"regfile", Unit::pe, 0x1800'0000, 16_MiB},
                                                     {"status", Unit::pe, 0x1900'0000, 16_MiB},
                                                     {"m_cpu", Unit::m_cpu, 0x04'0000'0000, 512_MiB},
                                                     {"sram", Unit::sram, 0x08'0000'0000, 512_MiB},
                                                     {"hbm", Unit::hbm, 0x20'0000'0000, 128_GiB}}};

[[nodiscard]] constexpr const RegionInfo& info(Region r) { return kRegions[static_cast<std::size_t>(r)]; }
[[nodiscard]] constexpr std::string_view to_string(Region r) { return info(r).name; }

inline constexpr int kMaxSips = 256;  // 16 racks of 16
inline constexpr int kMaxCubes = 32;
inline constexpr int kMaxPes = 1024;

/// The fields of a physical address. `pe` counts in PE regions alone and is 0 elsewhere.
struct Location {
  int sip = 0;  // over all racks: rack * 16 + the sip field
  int cube = 0;
  int pe = 0;
  Region region = Region::tcm;
  Bytes offset{};  // in the region

  [[nodiscard]] constexpr Unit unit() const { return info(region).unit; }
  [[nodiscard]] constexpr PeCoord coord() const { return {.sip = sip, .cube = cube, .pe = pe}; }
  friend constexpr bool operator==(const Location&, const Location&) = default;
};
[[nodiscard]] std::string to_string(const Location& at);  // "sip1.cube0.pe3 ipcq+0x1234"

/// A 57-bit physical address: high bits of the PE (6) · rack (4) · sip (4) · cube (5) · local offset (38),
/// whose pe_id has the PE's four low bits. With at most 16 PEs a cube, its upper 6 bits are 0.
/// Making or decoding one throws UsageError naming the field that is out of range.
class PhysAddr {
 public:
  constexpr PhysAddr() = default;

  [[nodiscard]] static PhysAddr from_bits(std::uint64_t bits);
  [[nodiscard]] static PhysAddr encode(const Location& at);
  [[nodiscard]] static PhysAddr hbm(int sip, int cube, Bytes offset);
  /// `offset` within the PE's slice; slice p starts at p * slice in the cube's HBM window.
  [[nodiscard]] static PhysAddr pe_hbm(PeCoord at, Bytes offset, Bytes slice);
  [[nodiscard]] static PhysAddr pe_tcm(PeCoord at, Bytes offset);
  [[nodiscard]] static PhysAddr pe_ipcq(PeCoord at, Bytes offset);
  [[nodiscard]] static PhysAddr pe_scratchpad(PeCoord at, Bytes offset);
  [[nodiscard]] static PhysAddr pe_regfile(PeCoord at, Bytes offset);
  [[nodiscard]] static PhysAddr cube_sram(int sip, int cube, Bytes offset);

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] Location decode() const;

  friend constexpr auto operator<=>(PhysAddr, PhysAddr) = default;
  /// Within one region: a carry out of it is not checked here, but a reserved result won't decode.
  friend constexpr PhysAddr operator+(PhysAddr a, Bytes n) {
    return PhysAddr{a.bits_ + static_cast<std::uint64_t>(n.count())};
  }
  friend constexpr Bytes operator-(PhysAddr a, PhysAddr b) {
    return Bytes{static_cast<std::int64_t>(a.bits_ - b.bits_)};
  }

 private:
  constexpr explicit PhysAddr(std::uint64_t bits) : bits_{bits} {}
  std::uint64_t bits_ = 0;
};
[[nodiscard]] std::string to_string(PhysAddr at);  // as its Location

}  // namespace kbsim::topology
