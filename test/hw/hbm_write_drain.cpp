// Writes drained beside reads: hand-made schedules, batches, an audit of all data on the bus, and ages.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "hbm_channel_runs.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::hbm_write_drain_test {
namespace {

HbmBanksSpec drains(HbmWriteDrain drain, std::int64_t high = 26, std::int64_t low = 6) {
  HbmBanksSpec spec = one_channel();
  spec.write_drain = drain;
  spec.write_high = high;
  spec.write_low = low;
  return spec;
}

// Reads of bank group 0 and then writes of group 1, all there at time 0.
std::vector<Access> reads_then_writes(int reads, int writes) {
  std::vector<Access> program;
  for (int i = 0; i < reads; ++i) program.push_back({.place = {}, .column = i});
  for (int i = 0; i < writes; ++i) program.push_back({.place = {.group = 1}, .write = true, .column = i});
  return program;
}

struct Rows {
  int groups = 2;
  int banks = 2;
  int rows = 3;
};

std::vector<Access> random_program(Random& random, int n, double writes, const Rows& of) {
  std::vector<Access> program;
  Time at{};
  for (int i = 0; i < n; ++i) {
    at += random.below(3'000) * 1_ps;
    const HbmPlace place{
        .group = random.below(of.groups), .bank = random.below(of.banks), .row = random.below(of.rows)};
    program.push_back({.place = place,
                       .write = random.below(1000) < static_cast<int>(1000.0 * writes),
                       .at = at,
                       .column = random.below(8)});
  }
  return program;
}

HbmBanksSpec random_spec(Random& random) {
  HbmBanksSpec spec = one_channel();
  spec.write_drain = random.any_of({HbmWriteDrain::all_bank, HbmWriteDrain::per_bank});
  spec.read_queue = random.between(1, 40);
  spec.write_queue = random.between(2, 40);
  spec.write_high = random.between(1, static_cast<int>(spec.write_queue));
  spec.write_low = random.between(0, static_cast<int>(spec.write_high) - 1);
  spec.trefi = random.any_of({0_ns, 3'900_ns});
  spec.tck = random.any_of({0_ns, 1_ns});
  return spec;
}

// From the column command of `a` to that of `b`, a later one, at least: JEDEC's rules between two bursts, as
// far as the data shows them.
Time least_between(const HbmBanksSpec& spec, const Access& a, const Access& b) {
  const bool same_group = a.place.group == b.place.group;
  Time least = same_group ? spec.tccd_l : spec.tccd_s;
  if (!a.write && b.write) least = std::max(least, spec.trtw);
  const Time written = spec.tcwl + kChannelBurst;
  if (a.write && !b.write) least = std::max(least, written + (same_group ? spec.twtr_l : spec.twtr_s));
  if (same_group && a.place.bank == b.place.bank && a.place.row != b.place.row)
    least = std::max(least, (a.write ? written + spec.twr : spec.trtp) + spec.trp + spec.rcd(b.write));
  return least;
}

void audit(const HbmBanksSpec& spec, const std::vector<Access>& program) {
  const std::vector<HbmCommands::Slot> slots = channel_slots(spec, program);
  const auto column = [&](std::size_t i) {
    return slots[i].start - (program[i].write ? spec.tcwl : spec.tcl);
  };
  std::vector<std::size_t> order(program.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, column);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t a = order[i];
    CHECK(column(a) >= program[a].at);
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::size_t b = order[j];
      const bool same = program[a].place == program[b].place && program[a].column == program[b].column;
      if (same) CHECK((a < b) == (slots[a].end < slots[b].end));
      CHECK(column(b) - column(a) >= least_between(spec, program[a], program[b]));
      CHECK((slots[b].start >= slots[a].end || slots[a].start >= slots[b].end));
    }
  }
}

}  // namespace

TEST_CASE("HBM write drain: with all_bank a batch of two writes, and then the rows of reads are opened") {
  const std::vector<Access> program = reads_then_writes(4, 2);
  // ACT of the writes at 0, WR at 14 and 16; ACT of the reads at 16, RD from 30 on each tCCD_L.
  CHECK(channel_ends(drains(HbmWriteDrain::all_bank, 2, 0), program) ==
        std::vector{45_ns, 47_ns, 49_ns, 51_ns, 19_ns, 21_ns});
}

TEST_CASE("HBM write drain: with per_bank the rows of reads and writes are opened side by side") {
  const std::vector<Access> program = reads_then_writes(4, 2);
  // ACT of the reads at 0, of the writes at tRRD_S = 1; RD at 14, 16, 18, 20; WR tRTW = 12 after the last.
  CHECK(channel_ends(drains(HbmWriteDrain::per_bank, 2, 0), program) ==
        std::vector{29_ns, 31_ns, 33_ns, 35_ns, 37_ns, 39_ns});
}

TEST_CASE("HBM write drain: a bank that has both serves the older first, without closing its row between") {
  const std::vector<Access> program{{.place = {}, .write = true, .column = 0},
                                    {.place = {}, .column = 1},
                                    {.place = {.row = 1}, .write = true},
                                    {.place = {.row = 1}, .column = 1}};
  // ACT at 0; WR at 14, its data until 19; RD tWTR_L = 8 later, at 27; PRE tRAS after the ACT or tWR = 16
  // after the data, at 35; ACT at 49; WR at 63, its data until 68; RD at 76.
  CHECK(channel_ends(drains(HbmWriteDrain::per_bank, 1, 0), program) ==
        std::vector{19_ns, 42_ns, 68_ns, 91_ns});
}

TEST_CASE("HBM write drain: fewer writes than write_high open no row while there are reads") {
  const std::vector<Access> program = reads_then_writes(4, 2);
  // RD at 14, 16, 18, 20. Then no read waits: ACT of the writes at 20, WR at 34 and 36.
  CHECK(channel_ends(drains(HbmWriteDrain::per_bank, 3, 0), program) ==
        std::vector{29_ns, 31_ns, 33_ns, 35_ns, 39_ns, 41_ns});
}

TEST_CASE("HBM write drain: the last write_low of a batch wait while there are reads") {
  std::vector<Access> program;
  for (int i = 0; i < 6; ++i) program.push_back({.place = {.row = i}});
  for (int i = 0; i < 3; ++i) program.push_back({.place = {.group = 1}, .write = true, .column = i});
  // ACT of reads each tRC = 48, RD tRCD = 14 later. ACT of the writes at 1, WR tRTW after the first RD, and
  // the third when the last read has its row, at 240.
  CHECK(channel_ends(drains(HbmWriteDrain::per_bank, 3, 1), program) ==
        std::vector{29_ns, 77_ns, 125_ns, 173_ns, 221_ns, 269_ns, 31_ns, 33_ns, 245_ns});
}

TEST_CASE("HBM write drain: writes that come after a batch has begun wait for write_high others") {
  std::vector<Access> program;
  for (int i = 0; i < 6; ++i) program.push_back({.place = {.row = i}});
  for (int i = 0; i < 2; ++i) program.push_back({.place = {.group = 1}, .write = true, .column = i});
  program.push_back({.place = {.group = 1}, .write = true, .at = 2_ns, .column = 2});
  program.push_back({.place = {.group = 1}, .write = true, .at = 100_ns, .column = 3});
  // The third waits for the fourth, which comes at 100: WR at 100 and 102, their data until 107, so that the
  // third RD is at 113 instead of 110.
  CHECK(channel_ends(drains(HbmWriteDrain::per_bank, 2, 0), program) ==
        std::vector{29_ns, 77_ns, 128_ns, 173_ns, 221_ns, 269_ns, 31_ns, 33_ns, 105_ns, 107_ns});
}

TEST_CASE("HBM write drain: reads alone and writes alone take the same with each") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    HbmBanksSpec spec = random_spec(random);
    const std::vector<Access> program = random_program(random, 300, random.below(2), {});
    spec.write_drain = HbmWriteDrain::all_bank;
    const std::vector<Time> all_bank = channel_ends(spec, program);
    spec.write_drain = HbmWriteDrain::per_bank;
    CHECK(channel_ends(spec, program) == all_bank);
  }
}

TEST_CASE("HBM write drain: each burst is served, and the rules between bursts hold for any mix") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const HbmBanksSpec spec = random_spec(random);
    const Rows rows{
        .groups = random.between(1, 4), .banks = random.between(1, 4), .rows = random.between(1, 5)};
    audit(spec, random_program(random, 300, random.between(1, 9) / 10.0, rows));
  }
}

TEST_CASE("HBM write drain: mixes of rows that are used once keep the pace of activates") {
  Random random{1};
  const std::vector<Access> program =
      random_program(random, 4'000, 0.5, {.groups = 4, .banks = 4, .rows = 1'000'000});
  const auto takes = [&](HbmWriteDrain drain) {
    HbmBanksSpec spec = drains(drain);
    for (std::int64_t* queue : {&spec.read_queue, &spec.write_queue}) *queue = 64;
    return std::ranges::max(channel_ends(spec, program));
  };
  const Time bound = 999 * one_channel().tfaw;  // four activates each tFAW
  CHECK(takes(HbmWriteDrain::per_bank) < takes(HbmWriteDrain::all_bank));
  CHECK(takes(HbmWriteDrain::per_bank) >= bound);
  CHECK(to_ns(takes(HbmWriteDrain::per_bank)) < 1.1 * to_ns(bound));
}

TEST_CASE(
    "HBM write drain: a write and a read of its bank that hits overtake are served max_age after they came, "
    "or so") {
  HbmBanksSpec spec = drains(HbmWriteDrain::per_bank, 1, 0);
  spec.max_age = 2_us;
  std::vector<Access> program{{.place = {}},
                              {.place = {.group = 1}, .write = true, .at = 1_ns},
                              {.place = {.group = 1, .row = 1}, .at = 1_ns}};
  for (int i = 0; i < 4000; ++i) program.push_back({.place = {}, .at = 2_ns + i * 1_ns, .column = i % 32});
  const std::vector<Time> end = channel_ends(spec, program);
  CHECK(end[1] >= spec.max_age);
  CHECK(end[1] <= spec.max_age + spec.trcd + spec.trtw + spec.tcwl + kChannelBurst);
  CHECK(end[2] > end[1]);
  CHECK(end[2] <= end[1] + spec.twr + spec.trp + spec.trcd + spec.tcl + kChannelBurst);
}

}  // namespace kbsim::hw::test::hbm_write_drain_test
