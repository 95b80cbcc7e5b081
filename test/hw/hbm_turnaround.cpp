#include <doctest/doctest.h>

#include "hbm_support.hpp"

namespace kbsim::hw::test::hbm_turnaround_test {
namespace {

constexpr int kPairs = 64;
constexpr Time kBurst = 1_ns;

// Hits of one row, or of one row in each of two groups: reads only, or each second a write.
Time takes(const HbmSpec& spec, bool mixed, bool two_groups) {
  std::vector<Access> program;
  for (int i = 0; i < 2 * kPairs; ++i) {
    program.push_back({.place = {.group = two_groups ? i % 2 : 0}, .write = mixed && i % 2 == 1, .at = {}});
  }
  return ends(spec, program).back();
}

}  // namespace

TEST_CASE("HBM turnaround: a read and a write of one row cost tRTW + tCWL + burst + tWTR_L") {
  const HbmSpec spec = without_refresh();
  const Time pair = spec.trtw + spec.tcwl + kBurst + spec.twtr_l;
  const Time first = spec.trcd + spec.trtw + spec.tcwl + kBurst;
  CHECK(takes(spec, true, false) == (kPairs - 1) * pair + first);
  CHECK(takes(spec, false, false) == (2 * kPairs - 1) * spec.tccd_l + spec.trcd + spec.tcl + kBurst);
}

TEST_CASE("HBM turnaround: to another bank group the read after a write waits tWTR_S") {
  const HbmSpec spec = without_refresh();
  const Time pair = spec.trtw + spec.tcwl + kBurst + spec.twtr_s;
  const Time first = spec.trcd + spec.trtw + spec.tcwl + kBurst;
  CHECK(takes(spec, true, true) == (kPairs - 1) * pair + first);
}

TEST_CASE("HBM turnaround: a write's data waits for the read's to leave the bus") {
  HbmSpec spec = without_refresh();
  spec.trtw = Time{0};
  const std::vector<Time> end = ends(spec, {{.place = {}}, {.place = {}, .write = true}});
  CHECK(end[1] == end[0] + kBurst);
}

TEST_CASE("HBM turnaround: half reads and half writes are slower than reads alone") {
  CHECK(takes(HbmSpec{}, true, false) > takes(HbmSpec{}, false, false));
  CHECK(takes(HbmSpec{}, true, true) > takes(HbmSpec{}, false, true));
}

}  // namespace kbsim::hw::test::hbm_turnaround_test
