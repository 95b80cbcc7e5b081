#include "kbsim/topology/address.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::topology {
namespace {

struct BitField {
  std::string_view name;
  int low;
  int width;

  [[nodiscard]] constexpr std::uint64_t max() const { return (std::uint64_t{1} << width) - 1; }
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t bits) const { return bits >> low & max(); }
};

constexpr BitField kAddress{"physical address", 0, 57};
constexpr BitField kPeHigh{"pe_id, high bits", 51, 6};
constexpr BitField kSip{"sip", 43, 8};  // rack and sip together: rack * 16 + sip
constexpr BitField kCube{"cube", 38, 5};
constexpr BitField kLocal{"local offset", 0, 38};
constexpr BitField kHbmSelect{"hbm select", 37, 1};
constexpr BitField kUnitType{"unit_type", 34, 3};
constexpr BitField kPeId{"pe_id", 30, 4};
constexpr BitField kExt{"ext", 29, 1};
constexpr BitField kSubOffset{"sub_offset", 0, 29};

static_assert(kSip.max() + 1 == kMaxSips && kCube.max() + 1 == kMaxCubes &&
              (kPeId.max() + 1) * (kPeHigh.max() + 1) == kMaxPes);
static_assert(kMaxCubes == config::kMaxCubes);

constexpr std::uint64_t end(const RegionInfo& r) {
  return r.first + static_cast<std::uint64_t>(r.size.count());
}

constexpr bool disjoint_and_in_place() {
  for (std::size_t i = 0; i < kRegions.size(); ++i) {
    const RegionInfo& r = kRegions[i];
    if (i + 1 < kRegions.size() && end(r) > kRegions[i + 1].first) return false;
    if (end(r) - 1 > kLocal.max() || kHbmSelect.of(r.first) != (r.unit == Unit::hbm ? 1 : 0)) return false;
    const bool sub = kUnitType.of(r.first) == static_cast<std::uint64_t>(r.unit) &&
                     end(r) - 1 <= (r.first | kSubOffset.max());
    if (r.unit != Unit::hbm && !sub) return false;
  }
  return true;
}
static_assert(disjoint_and_in_place(), "regions overlap, or reach beyond their field");

UsageError out_of_range(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
  return UsageError{fmt::format("physical address: {} is {}, expected {} to {}", field, value, least, most)};
}

void check(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) throw out_of_range(field, value, least, most);
}

UsageError reserved(std::uint64_t local) {
  const auto fail = [](const BitField& field, std::uint64_t value, std::string_view expected) {
    return UsageError{fmt::format("physical address: {} is {:#x}, expected {}", field.name, value, expected)};
  };
  const std::uint64_t unit = kUnitType.of(local);
  if (unit > static_cast<std::uint64_t>(Unit::sram))
    return fail(kUnitType, unit, "0 (PE), 1 (M_CPU) or 2 (SRAM)");
  if (kExt.of(local) != 0) return fail(kExt, 1, "0");
  return fail(kSubOffset, kSubOffset.of(local), "none of the reserved range");
}

PhysAddr in_pe(PeCoord at, Region region, Bytes offset) {
  return PhysAddr::encode({.sip = at.sip, .cube = at.cube, .pe = at.pe, .region = region, .offset = offset});
}

}  // namespace

PhysAddr PhysAddr::from_bits(std::uint64_t bits) {
  if (bits > kAddress.max()) {
    throw UsageError{fmt::format("physical address: {:#x} has more than {} bits", bits, kAddress.width)};
  }
  return PhysAddr{bits};
}

PhysAddr PhysAddr::encode(const Location& at) {
  const RegionInfo& region = info(at.region);
  check("sip", at.sip, 0, kMaxSips - 1);
  check("cube", at.cube, 0, kMaxCubes - 1);
  check("pe_id", at.pe, 0, region.unit == Unit::pe ? kMaxPes - 1 : 0);
  if (at.offset < 0_B || at.offset >= region.size) {
    throw out_of_range(fmt::format("{} offset", region.name), at.offset.count(), 0, region.size.count() - 1);
  }
  return PhysAddr{static_cast<std::uint64_t>(at.sip) << kSip.low |
                  static_cast<std::uint64_t>(at.cube) << kCube.low |
                  (static_cast<std::uint64_t>(at.pe) >> kPeId.width) << kPeHigh.low |
                  (static_cast<std::uint64_t>(at.pe) & kPeId.max()) << kPeId.low |
                  (region.first + static_cast<std::uint64_t>(at.offset.count()))};
}

Location PhysAddr::decode() const {
  const std::uint64_t local = kLocal.of(bits_);
  const bool hbm = kHbmSelect.of(local) != 0;
  const std::uint64_t pe = hbm ? 0 : kPeId.of(local);
  const std::uint64_t offset = local - (pe << kPeId.low);
  const auto* row = std::ranges::find_if(
      kRegions, [&](const RegionInfo& r) { return offset >= r.first && offset < end(r); });
  if (row == kRegions.end()) throw reserved(local);
  const std::uint64_t whole_pe = kPeHigh.of(bits_) << kPeId.width | pe;
  if (row->unit != Unit::pe) check("pe_id", static_cast<std::int64_t>(whole_pe), 0, 0);
  return {.sip = static_cast<int>(kSip.of(bits_)),
          .cube = static_cast<int>(kCube.of(bits_)),
          .pe = static_cast<int>(whole_pe),
          .region = static_cast<Region>(row - kRegions.begin()),
          .offset = Bytes{static_cast<std::int64_t>(offset - row->first)}};
}

PhysAddr PhysAddr::hbm(int sip, int cube, Bytes offset) {
  return encode({.sip = sip, .cube = cube, .region = Region::hbm, .offset = offset});
}

PhysAddr PhysAddr::pe_hbm(PeCoord at, Bytes offset, Bytes slice) {
  check("pe_id", at.pe, 0, kMaxPes - 1);
  check("hbm slice", slice.count(), 1, info(Region::hbm).size.count() / (at.pe + 1));
  check("offset in the hbm slice", offset.count(), 0, slice.count() - 1);
  return hbm(at.sip, at.cube, slice * at.pe + offset);
}

PhysAddr PhysAddr::pe_tcm(PeCoord at, Bytes offset) { return in_pe(at, Region::tcm, offset); }
PhysAddr PhysAddr::pe_ipcq(PeCoord at, Bytes offset) { return in_pe(at, Region::ipcq, offset); }
PhysAddr PhysAddr::pe_scratchpad(PeCoord at, Bytes offset) { return in_pe(at, Region::scratchpad, offset); }
PhysAddr PhysAddr::pe_regfile(PeCoord at, Bytes offset) { return in_pe(at, Region::regfile, offset); }

PhysAddr PhysAddr::cube_sram(int sip, int cube, Bytes offset) {
  return encode({.sip = sip, .cube = cube, .region = Region::sram, .offset = offset});
}

std::string to_string(const Location& at) {
  const std::string pe = at.unit() == Unit::pe ? fmt::format(".pe{}", at.pe) : "";
  return fmt::format("sip{}.cube{}{} {}+{:#x}", at.sip, at.cube, pe, to_string(at.region), at.offset.count());
}

std::string to_string(PhysAddr at) { return to_string(at.decode()); }

}  // namespace kbsim::topology
