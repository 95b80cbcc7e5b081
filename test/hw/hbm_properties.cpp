#include <random>

#include <doctest/doctest.h>

#include "hbm_support.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::hbm_properties_test {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_{seed} {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<unsigned>(n));
  }

 private:
  std::mt19937 engine_;
};

HbmPlace any_place(Dice& dice) {
  return {.channel = dice.below(2), .group = dice.below(4), .bank = dice.below(4), .row = dice.below(3)};
}

// Reads and writes at random times, in order of time.
std::vector<Access> any_program(Dice& dice, Time mean_gap) {
  std::vector<Access> program;
  Time at{};
  for (int i = 0; i < 300; ++i) {
    program.push_back(
        {.place = any_place(dice), .write = dice.below(3) == 0, .at = at, .column = dice.below(32)});
    at += dice.below(2 * mean_gap.count() + 1) * 1_ps;
  }
  return program;
}

struct Parameter {
  std::string name;
  Time HbmSpec::* member;
};
const std::vector<Parameter> kTimes{
    {"tRCD", &HbmSpec::trcd},     {"tRP", &HbmSpec::trp},       {"tRAS", &HbmSpec::tras},
    {"tRC", &HbmSpec::trc},       {"tCCD_S", &HbmSpec::tccd_s}, {"tCCD_L", &HbmSpec::tccd_l},
    {"tRRD_S", &HbmSpec::trrd_s}, {"tRRD_L", &HbmSpec::trrd_l}, {"tFAW", &HbmSpec::tfaw},
    {"tCL", &HbmSpec::tcl},       {"tCWL", &HbmSpec::tcwl},     {"tRTP", &HbmSpec::trtp},
    {"tWR", &HbmSpec::twr},       {"tWTR_S", &HbmSpec::twtr_s}, {"tWTR_L", &HbmSpec::twtr_l},
    {"tRTW", &HbmSpec::trtw},     {"tRFC", &HbmSpec::trfc}};

}  // namespace

// An access that is held up until after a refresh reopens its row there, and a later one finds it open: so
// with refresh, a longer time can make single accesses end sooner.
TEST_CASE("HBM properties: between refreshes no access ends sooner if any one time is longer") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Dice dice{seed};
    const HbmSpec spec = without_refresh();
    const std::vector<Access> program = any_program(dice, dice.below(12'000) * 1_ps);
    const std::vector<Time> before = ends(spec, program);
    for (const Parameter& parameter : kTimes) {
      HbmSpec slower = spec;
      slower.*parameter.member += (1 + dice.below(9000)) * 1_ps;
      const std::vector<Time> after = ends(slower, program);
      for (std::size_t i = 0; i < before.size(); ++i) {
        CAPTURE(seed);
        CAPTURE(parameter.name);
        CAPTURE(i);
        REQUIRE(after[i] >= before[i]);
      }
    }
  }
}

TEST_CASE("HBM properties: no stream ends sooner if any one time is longer" *
          doctest::skip(kbsim::test::kSanitized)) {
  const auto stream = [](const HbmSpec& spec) {
    return HbmTiming{spec, kRaw}.serve(0, 5_MiB, false, Time{0}).end;
  };
  for (const Parameter& parameter : kTimes) {
    Time last = stream({});
    for (const Time more : {1_ns, 5_ns, 20_ns, 70_ns}) {
      HbmSpec slower;
      slower.*parameter.member += more;
      CAPTURE(parameter.name);
      CHECK(stream(slower) >= last);
      last = stream(slower);
    }
  }
}

TEST_CASE("HBM properties: a stream ends no sooner with more bytes, less bandwidth or more refreshes") {
  const auto stream = [](HbmSpec spec, Bandwidth raw, Bytes n) {
    return HbmTiming{spec, raw}.serve(0, n, false, Time{0}).end;
  };
  Time last{};
  for (const Bytes n : {32_B, 256_B, 257_B, 4_KiB, 1_MiB, 3_MiB}) {
    const Time now = stream(HbmSpec{}, kRaw, n);
    CHECK(now >= last);
    last = now;
  }
  for (const double gbs : {200.0, 128.0, 51.2, 10.0}) {
    const Time now = stream(HbmSpec{}, Bandwidth::gbs(gbs), 3_MiB);
    CHECK(now > last);
    last = now;
  }
  last = stream(without_refresh(), kRaw, 3_MiB);
  for (const Time trefi : {7'800_ns, 3'900_ns, 1'950_ns, 1'000_ns}) {
    const Time now = stream({.trefi = trefi}, kRaw, 3_MiB);
    CHECK(now > last);
    last = now;
  }
}

TEST_CASE("HBM properties: each burst is served once, none faster than the bus, and counted once") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    const HbmSpec spec;
    HbmTiming slice{spec, kRaw};
    std::int64_t bursts = 0;
    Time end{};
    for (int i = 0; i < 500; ++i) {
      const std::int64_t address = dice.below(1 << 24);
      const std::int64_t n = 1 + dice.below(2000);
      bursts += (address + n - 1) / spec.burst.count() - address / spec.burst.count() + 1;
      end = std::max(end, slice.serve(address, Bytes{n}, dice.below(2) == 0, Time{0}).end);
    }
    const HbmCounts counts = slice.counts();
    CHECK(counts.hits + counts.misses + counts.conflicts == bursts);
    CHECK(end >= ceil_div(bursts, spec.pseudo_channels) * slice.burst());
  }
}

TEST_CASE("HBM properties: the same accesses take the same time, and all times q-fold take q times that") {
  Dice dice{7};
  std::vector<Access> program = any_program(dice, 3_ns);
  const std::vector<Time> once = ends(HbmSpec{}, program);
  CHECK(ends(HbmSpec{}, program) == once);
  HbmSpec slow;
  for (const Parameter& parameter : kTimes) slow.*parameter.member *= 3;
  slow.trefi *= 3;
  HbmTiming slice{slow, Bandwidth::gbs(kRaw.gbs() / 3)};
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Access& a = program[i];
    CHECK(slice.serve(address_of(slow, a.place, a.column), slow.burst, a.write, 3 * a.at).end == 3 * once[i]);
  }
}

}  // namespace kbsim::hw::test::hbm_properties_test
