// The controller that orders commands: closed forms, batches of writes, ages, and order of overlapping bytes.
#include <algorithm>
#include <ranges>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_controller.hpp"

#include "hbm_channel_runs.hpp"
#include "hbm_machine.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::hbm_fr_fcfs_test {

using kbsim::hw::test::Random;

namespace {

std::vector<Access> accesses(int n, auto&& place) {
  std::vector<Access> program;
  for (int i = 0; i < n; ++i) program.push_back({.place = place(i), .column = i % 32});
  return program;
}

}  // namespace

TEST_CASE("HBM fr_fcfs: n rows of one bank take (n - 1) tRC and the latency of the last") {
  const HbmBanksSpec spec = one_channel();
  const std::vector<Time> end = channel_ends(spec, accesses(300, [](int i) { return HbmPlace{.row = i}; }));
  CHECK(end.back() == 299 * spec.trc + spec.trcd + spec.tcl + kChannelBurst);
}

TEST_CASE("HBM fr_fcfs: rows of distinct banks come four each tFAW") {
  const HbmBanksSpec spec = one_channel();
  const auto place = [](int i) { return HbmPlace{.group = i % 4, .bank = i / 4 % 4, .row = i / 16}; };
  const std::vector<Time> end = channel_ends(spec, accesses(400, place));
  CHECK(*std::ranges::max_element(end) ==
        99 * spec.tfaw + 3 * spec.trrd_s + spec.trcd + spec.tcl + kChannelBurst);
}

TEST_CASE("HBM fr_fcfs: a write waits tRCDWR for its row, a read tRCD") {
  HbmBanksSpec spec = one_channel();
  spec.trcd_write = 6_ns;
  CHECK(channel_ends(spec, {{.place = {}, .write = true}}).back() == 6_ns + spec.tcwl + kChannelBurst);
  CHECK(channel_ends(spec, {{.place = {}}}).back() == spec.trcd + spec.tcl + kChannelBurst);
}

TEST_CASE("HBM fr_fcfs: a stream of one pseudo-channel loses tRTP + tRP + tRFC + tRCD each tREFI, at most") {
  HbmBanksSpec spec = one_channel();
  spec.trefi = HbmBanksSpec{}.trefi;
  const int n = 40'000;
  const auto place = [](int i) { return HbmPlace{.group = i % 4, .bank = i / 128 % 4, .row = i / 512}; };
  std::vector<Access> program = accesses(n, place);
  for (int i = 0; i < n; ++i) program[static_cast<std::size_t>(i)].column = i / 4 % 32;
  const std::vector<Time> end = channel_ends(spec, program);
  const double efficiency = static_cast<double>(n * kChannelBurst / 1_ps) /
                            static_cast<double>(*std::ranges::max_element(end) / 1_ps);
  const auto share = [&](Time lost) { return 1.0 - to_ns(lost) / to_ns(spec.trefi); };
  CHECK(efficiency > share(spec.trtp + spec.trp + spec.trfc + spec.trcd) - 0.01);
  CHECK(efficiency < share(spec.trfc));
}

TEST_CASE("HBM fr_fcfs: refreshes bank by bank cost a stream less, and leave none out") {
  HbmBanksSpec spec = one_channel();
  spec.trefi = 3'904_ns;
  spec.trfc_bank = 160_ns;
  spec.trrefd = 8_ns;
  const auto place = [](int i) { return HbmPlace{.group = i % 4, .bank = i / 4 % 4, .row = i / 512}; };
  const std::vector<Access> program = accesses(20'000, place);
  const auto takes = [&] { return std::ranges::max(channel_ends(spec, program)); };
  const Time all = takes();
  spec.refresh = HbmRefresh::per_bank;
  CHECK(takes() < all);
  HbmChannel channel{spec, kChannelBurst};
  std::vector<HbmChannel::Served> served;
  for (const Time at : {Time{0}, 100 * spec.trefi}) {
    channel.push({.place = {}, .at = at});
    channel.advance(at + spec.trefi, served);
  }
  CHECK(channel.counts().refreshes >= 99 * 16);
}

TEST_CASE("HBM fr_fcfs: requests of an open row come before older ones of another row") {
  const HbmBanksSpec spec = one_channel();
  const std::vector<Access> program = accesses(8, [](int i) { return HbmPlace{.row = i % 2}; });
  CHECK(channel_order(spec, program) == std::vector<std::size_t>{0, 2, 4, 6, 1, 3, 5, 7});
}

TEST_CASE("HBM fr_fcfs: writes go in batches, from write_high in the queue down to write_low") {
  HbmBanksSpec spec = one_channel();
  spec.write_queue = 8;
  spec.write_high = 8;
  spec.write_low = 2;
  std::vector<Access> program;  // reads never end before the writes do
  for (int i = 0; i < 8; ++i) program.push_back({.place = {.group = 1}, .write = true, .column = i});
  for (int i = 0; i < 32; ++i) program.push_back({.place = {}, .column = i});
  const std::vector<std::size_t> order = channel_order(spec, program);
  CHECK(std::ranges::all_of(order | std::views::take(6), [](std::size_t i) { return i < 8; }));
  CHECK(std::ranges::all_of(order | std::views::drop(6) | std::views::take(32),
                            [](std::size_t i) { return i >= 8; }));
}

TEST_CASE("HBM fr_fcfs: fewer writes than write_high wait while there are reads") {
  const HbmBanksSpec spec = one_channel();
  std::vector<Access> program{{.place = {}}, {.place = {.group = 1}, .write = true}};
  for (int i = 1; i < 20; ++i) program.push_back({.place = {}, .column = i});
  CHECK(channel_order(spec, program).back() == 1);
}

TEST_CASE("HBM fr_fcfs: a turn from writes to reads costs tWTR, one from reads to writes tRTW") {
  HbmBanksSpec spec = one_channel();
  spec.write_high = 1;
  spec.write_low = 0;
  const std::vector<Time> end = channel_ends(spec, {{.place = {}},
                                                    {.place = {}, .write = true, .at = 20_ns, .column = 1},
                                                    {.place = {}, .at = 20_ns + 1_ps, .column = 2}});
  CHECK(end[1] == spec.trcd + spec.trtw + spec.tcwl + kChannelBurst);
  CHECK(end[2] == end[1] + spec.twtr_l + spec.tcl + kChannelBurst);
}

// Row hits arrive without end, each before the last is served.
TEST_CASE("HBM fr_fcfs: a request that hits of its bank overtake is served max_age after it came, or so") {
  HbmBanksSpec spec = one_channel();
  spec.max_age = 2_us;
  std::vector<Access> program{{.place = {}}, {.place = {.row = 1}, .at = 1_ns}};
  for (int i = 0; i < 4000; ++i) program.push_back({.place = {}, .at = 2_ns + i * 2_ns, .column = i % 32});
  const Time end = channel_ends(spec, program)[1];
  CHECK(end >= spec.max_age);
  CHECK(end <= spec.max_age + spec.trc + spec.trcd + spec.tcl + kChannelBurst);
}

TEST_CASE("HBM fr_fcfs: a write that reads overtake is served max_age after it came, or so") {
  HbmBanksSpec spec = one_channel();
  spec.max_age = 2_us;
  std::vector<Access> program{{.place = {}}, {.place = {.group = 1}, .write = true, .at = 1_ns}};
  for (int i = 0; i < 4000; ++i) program.push_back({.place = {}, .at = 2_ns + i * 1_ns, .column = i % 32});
  const Time end = channel_ends(spec, program)[1];
  CHECK(end >= spec.max_age);
  CHECK(end <= spec.max_age + spec.trcd + spec.trtw + spec.tcwl + kChannelBurst);
}

TEST_CASE("HBM fr_fcfs: each burst is served once, those of equal bytes in order, none faster than the bus") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    HbmBanksSpec spec = one_channel();
    spec.read_queue = random.between(1, 40);
    spec.write_queue = random.between(2, 40);
    spec.write_high = random.between(1, static_cast<int>(spec.write_queue));
    spec.write_low = random.between(0, static_cast<int>(spec.write_high) - 1);
    spec.trefi = random.any_of({0_ns, 3'900_ns});
    spec.tck = random.any_of({0_ns, 1_ns});
    std::vector<Access> program;
    Time at{};
    for (int i = 0; i < 400; ++i) {
      at += random.below(4'000) * 1_ps;
      program.push_back({.place = {.group = random.below(2), .bank = random.below(2), .row = random.below(3)},
                         .write = random.below(2) == 0,
                         .at = at,
                         .column = random.below(3)});
    }
    std::vector<std::size_t> order;
    std::vector<Time> end = channel_ends(spec, program, &order);
    std::ranges::sort(order);
    CHECK(std::ranges::adjacent_find(order) == order.end());
    for (std::size_t i = 0; i < program.size(); ++i)
      for (std::size_t j = i + 1; j < program.size(); ++j)
        if (program[i].place == program[j].place && program[i].column == program[j].column)
          CHECK(end[i] < end[j]);
    std::ranges::sort(end);
    for (std::size_t i = 1; i < end.size(); ++i) CHECK(end[i] - end[i - 1] >= kChannelBurst);
  }
}

TEST_CASE("HBM fr_fcfs: a lone read takes what it takes in order") {
  for (const Bytes n : {32_B, 256_B, 4_KiB}) {
    const auto takes = [n](const char* scheduler) {
      SliceMachine machine{"builtin.hbm_banks", {{"scheduler", std::string{scheduler}}}};
      machine.user().read(0, n);
      return machine.run();
    };
    CAPTURE(n.count());
    CHECK(takes("fr_fcfs") == takes("in_order"));
  }
}

TEST_CASE("HBM fr_fcfs: a memory without banks, and settings without effect, are refused by place and key") {
  const auto complaint = [](const std::string& impl, std::map<std::string, Scalar> attrs) -> std::string {
    try {
      SliceMachine machine{impl, std::move(attrs)};
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const std::string fr_fcfs = "fr_fcfs";
  CHECK(complaint("builtin.hbm_ctrl", {{"scheduler", fr_fcfs}})
            .starts_with("t.yaml:7: sip0.cube0.hbm0.scheduler"));
  CHECK(complaint("builtin.hbm_banks", {{"read_queue", std::int64_t{8}}}) ==
        "t.yaml:7: sip0.cube0.hbm0.read_queue: has no effect with scheduler: in_order, only with fr_fcfs");
  CHECK(complaint("builtin.hbm_banks", {{"write_drain", std::string{"per_bank"}}}) ==
        "t.yaml:7: sip0.cube0.hbm0.write_drain: has no effect with scheduler: in_order, only with fr_fcfs");
  CHECK(complaint("builtin.hbm_banks", {{"scheduler", fr_fcfs}, {"write_low", std::int64_t{26}}}) ==
        "t.yaml:7: sip0.cube0.hbm0.write_low: found 26, expected less than write_high, which is 26");
  CHECK(complaint("builtin.hbm_banks", {{"scheduler", fr_fcfs}, {"channel_pcs", std::int64_t{3}}}) ==
        "t.yaml:7: sip0.cube0.hbm0.channel_pcs: found 3, expected a divisor of pseudo_channels, which is 8");
  CHECK(
      complaint("builtin.hbm_banks", {{"mapping", std::string{"robacobgpc"}}}) ==
      "t.yaml:7: sip0.cube0.hbm0.mapping: found 'robacobgpc', expected the fields ro, ba, si, co, bg and pc, "
      "each once, ro first");
}

}  // namespace kbsim::hw::test::hbm_fr_fcfs_test
