#include <doctest/doctest.h>

#include "hbm_support.hpp"

namespace kbsim::hw::test::hbm_rows_test {
namespace {

const HbmSpec kSpec = without_refresh();
constexpr Time kBurst = 1_ns;
const Time kIdle = kSpec.trcd + kSpec.tcl + kBurst;  // a read of an idle bank

std::vector<Access> reads(int n, auto&& place) {
  std::vector<Access> program;
  for (int i = 0; i < n; ++i) program.push_back({.place = place(i), .column = i % 32});
  return program;
}

}  // namespace

TEST_CASE("HBM bank: a closed bank answers after tRCD + tCL + burst, an open row after tCL + burst") {
  const std::vector<Time> end = ends(kSpec, {{.place = {}}, {.place = {}, .at = 100_ns, .column = 1}});
  CHECK(end[0] == kIdle);
  CHECK(end[1] == 100_ns + kSpec.tcl + kBurst);
}

TEST_CASE("HBM bank: another row costs a precharge first") {
  const std::vector<Time> end = ends(kSpec, {{.place = {}}, {.place = {.row = 1}, .at = 100_ns}});
  CHECK(end[1] == 100_ns + kSpec.trp + kIdle);
}

TEST_CASE("HBM bank: n rows of one bank take (n - 1) tRC and the latency of the last") {
  const std::vector<Time> end = ends(kSpec, reads(1000, [](int i) { return HbmPlace{.row = i}; }));
  CHECK(end.back() == 999 * kSpec.trc + kIdle);
}

TEST_CASE("HBM bank: written rows of one bank are as far apart as write recovery makes them") {
  std::vector<Access> program = reads(100, [](int i) { return HbmPlace{.row = i}; });
  for (Access& access : program) access.write = true;
  const Time cycle = kSpec.trcd + kSpec.tcwl + kBurst + kSpec.twr + kSpec.trp;
  REQUIRE(cycle > kSpec.trc);
  CHECK(ends(kSpec, program).back() == 99 * cycle + kSpec.trcd + kSpec.tcwl + kBurst);
}

TEST_CASE("HBM bank: a row that was read is closed tRTP after the last read's command, no sooner") {
  HbmSpec spec = kSpec;
  spec.trtp = 40_ns;
  REQUIRE(spec.trcd + spec.trtp > spec.tras);
  const Time next = spec.trcd + spec.trtp + spec.trp;  // from one row's activate to the next's
  REQUIRE(next > spec.trc);
  CHECK(ends(spec, reads(100, [](int i) { return HbmPlace{.row = i}; })).back() == 99 * next + kIdle);
  const Time late = 100_ns;  // of a second read of the open row
  const std::vector<Time> end =
      ends(spec,
           {{.place = {}}, {.place = {}, .at = late, .column = 1}, {.place = {.row = 1}, .at = late + 1_ns}});
  CHECK(end[2] == late + spec.trtp + spec.trp + kIdle);
}

TEST_CASE("HBM pseudo-channel: rows of distinct banks come four each tFAW") {
  REQUIRE(kSpec.tfaw > 4 * kSpec.trrd_l);
  const auto place = [](int i) { return HbmPlace{.group = i % 4, .bank = i / 4 % 4, .row = i / 16}; };
  const std::vector<Time> end = ends(kSpec, reads(400, place));
  for (std::size_t i = 4; i < end.size(); ++i) CHECK(end[i] - end[i - 4] == kSpec.tfaw);
  CHECK(end[0] == kIdle);
  CHECK(end[399] == 99 * kSpec.tfaw + 3 * kSpec.trrd_s + kIdle);
}

TEST_CASE("HBM pseudo-channel: without tFAW, rows come at tRRD_S between groups and tRRD_L within one") {
  HbmSpec spec = kSpec;
  spec.tfaw = Time{0};
  spec.trrd_s = 3_ns;
  spec.trrd_l = 5_ns;
  CHECK(ends(spec, reads(4, [](int i) { return HbmPlace{.group = i}; })).back() == 3 * 3_ns + kIdle);
  CHECK(ends(spec, reads(4, [](int i) { return HbmPlace{.bank = i}; })).back() == 3 * 5_ns + kIdle);
}

TEST_CASE("HBM pseudo-channel: row hits come at tCCD_L within a group, at tCCD_S between groups") {
  HbmSpec spec = kSpec;
  spec.tccd_s = 1500_ps;
  spec.tccd_l = 2500_ps;
  const std::vector<Time> one = ends(spec, reads(32, [](int) { return HbmPlace{}; }));
  CHECK(one.back() == 31 * spec.tccd_l + kIdle);
  std::vector<Access> open = reads(4, [](int i) { return HbmPlace{.group = i}; });
  for (int i = 0; i < 32; ++i) {
    open.push_back({.place = {.group = i % 4}, .at = 100_ns, .column = 1 + i / 4});
  }
  CHECK(ends(spec, open).back() == 100_ns + 31 * spec.tccd_s + spec.tcl + kBurst);
}

TEST_CASE("HBM pseudo-channel: bursts never overlap on the bus, even if commands may come faster") {
  HbmSpec spec = kSpec;
  spec.tccd_s = spec.tccd_l = Time{0};
  CHECK(ends(spec, reads(32, [](int) { return HbmPlace{}; })).back() == 31 * kBurst + kIdle);
}

TEST_CASE("HBM slice: pseudo-channels don't wait for one another") {
  const std::vector<Time> end = ends(kSpec, reads(8, [](int i) { return HbmPlace{.channel = i}; }));
  for (const Time t : end) CHECK(t == kIdle);
}

TEST_CASE("HBM slice: from the lowest bits: byte, pseudo-channel, group, column, bank, row") {
  const HbmTiming slice{kSpec, kRaw};
  CHECK(slice.place(31) == HbmPlace{});
  CHECK(slice.place(32) == HbmPlace{.channel = 1});
  CHECK(slice.place(256) == HbmPlace{.group = 1});
  CHECK(slice.place(1024) == HbmPlace{});
  CHECK(slice.place(32 * 1024) == HbmPlace{.bank = 1});
  CHECK(slice.place(128 * 1024) == HbmPlace{.row = 1});
  const HbmPlace any{.channel = 5, .group = 2, .bank = 3, .row = 77};
  CHECK(slice.place(address_of(kSpec, any, 31)) == any);
}

TEST_CASE("HBM slice: counts hits, misses and conflicts, one a burst") {
  HbmTiming slice{kSpec, kRaw};
  (void)slice.serve(0, 256_B, false, Time{0});
  (void)slice.serve(1024, 512_B, false, Time{0});
  (void)slice.serve(128 * 1024, 33_B, true, Time{0});
  const HbmCounts counts = slice.counts();
  CHECK(counts.misses == 16);
  CHECK(counts.hits == 8);
  CHECK(counts.conflicts == 2);
  CHECK(counts.refreshes == 0);
}

}  // namespace kbsim::hw::test::hbm_rows_test
