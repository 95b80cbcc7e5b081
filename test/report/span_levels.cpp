// Slots and credits in use become series of what is free.
#include "kbsim/report/span_levels.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/report/span_recorder.hpp"

#include "../topology/machines.hpp"

namespace kbsim::report_span_levels_test {

using namespace kbsim::report;

namespace {

constexpr std::int64_t kSlots = 4;

hw::Taken slot(Time at, std::int64_t change) {
  return {.unit = NodeId{3}, .part = "E", .at = at, .change = change, .all = kSlots};
}
hw::Taken room(Time at, std::int64_t change) {
  return {.link = LinkId{5}, .at = at, .change = change, .all = 4096};
}

std::int64_t most_of(const SpanLevels::Level& level) {
  return level.series.most().empty() ? 0 : std::ranges::max(level.series.most());
}

}  // namespace

TEST_CASE("SpanLevels: the sum is each place's time in use, the most is how many at once") {
  SpanLevels levels{0_ns, kForever};
  levels.take(slot(10_ns, 1));
  levels.take(slot(15_ns, 1));
  levels.take(slot(20_ns, -1));
  levels.take(slot(20_ns, 1));  // one comes back when another goes: no third
  levels.take(slot(40_ns, -1));
  const auto& all = levels.finish(100_ns);
  REQUIRE(all.size() == 1);
  CHECK(all[0].series.sum().total() == 10_ns + 25_ns + 80_ns);
  CHECK(most_of(all[0]) == 2);
  CHECK(all[0].all == kSlots);
}

TEST_CASE(
    "SpanLevels: what is given back ahead comes back at its time, in any order, and not after the end") {
  SpanLevels levels{0_ns, kForever};
  levels.take(room(0_ns, 64));
  levels.take(room(30_ns, -64));
  levels.take(room(5_ns, 128));
  levels.take(room(20_ns, -128));
  levels.take(room(50_ns, 256));
  levels.take(room(900_ns, -256));
  const auto& all = levels.finish(60_ns);
  CHECK(all.at(0).series.sum().total() == 64 * 30_ns + 128 * 15_ns + 256 * 10_ns);
  CHECK(most_of(all.at(0)) == 256);
}

TEST_CASE("SpanLevels: a window cuts exactly, and queues of a unit and links stand apart") {
  SpanLevels levels{100_ns, 200_ns};
  levels.take(slot(90_ns, 1));
  levels.take(room(120_ns, 64));
  levels.take(slot(150_ns, -1));
  hw::Taken other = slot(190_ns, 1);
  other.part = "W";
  levels.take(other);
  const auto& all = levels.finish(500_ns);
  REQUIRE(all.size() == 3);
  CHECK(all[0].series.sum().total() == 50_ns);
  CHECK(all[1].series.sum().total() == 64 * 80_ns);
  CHECK(all[2].part == "W");
  CHECK(all[2].series.sum().total() == 10_ns);
}

TEST_CASE("LevelSeries: sums and most are those of all holds, however wide windows become") {
  std::mt19937_64 random{20};
  LevelSeries series{0_ns};
  Time at{};
  Time sum{};
  std::int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    const Time end = at + Time{static_cast<std::int64_t>(random() % 5000)};
    const auto used = static_cast<std::int64_t>(random() % 9);
    series.hold(at, end, used);
    sum += (end - at) * used;
    if (end > at) most = std::max(most, used);
    at = end;
  }
  CHECK(series.sum().total() == sum);
  CHECK(std::ranges::max(series.most()) == most);
  CHECK(series.most().size() <= SpanSeries::kMost);
  series.widen(series.sum().width() * 4);
  CHECK(series.sum().total() == sum);
  CHECK(std::ranges::max(series.most()) == most);
}

TEST_CASE("SpanRecorder: free TCM is what tiles leave, in bytes; a tile's bytes may be given back later") {
  const topology::Graph graph = topology::graph_of(topology::machine({.sips = 2}));
  SpanRecorder recorder{graph, {}};
  const auto take = [&](Time at, std::int64_t change) {
    recorder.take({.unit = graph.pe({}).tcm, .at = at, .change = change, .all = 1024});
  };
  take(1_us, 256);
  take(2_us, 512);
  take(4_us, -256);  // known before the next one is taken
  take(3_us, 128);
  take(6_us, -512);
  take(6_us, -128);
  const trace::Timeline& timeline = recorder.finish(8_us, "test");
  REQUIRE(timeline.series.size() == 2);
  const trace::Series& mean = timeline.series[0];
  const trace::Series& least = timeline.series[1];
  CHECK(mean.name == "free TCM");
  CHECK(mean.unit == "B");
  CHECK(least.name == "least free TCM");
  CHECK(trace::path_of(timeline.tracks, mean.track) == "sip0.cube0.pe0.pe_tcm");
  CHECK(std::ranges::min(least.values) == 1024.0 - (256 + 512 + 128));
  CHECK(least.values.back() == 1024.0);
}

TEST_CASE("SpanRecorder: free slots and free credits are what isn't in use, by window; least at any time") {
  const topology::Graph graph = topology::graph_of(topology::machine({.sips = 2}));
  SpanRecorder recorder{graph, {}};
  const NodeId ipcq = graph.pe({}).ipcq;
  const auto take = [&](Time at, std::int64_t change) {
    recorder.take({.unit = ipcq, .part = "E", .at = at, .change = change, .all = kSlots});
  };
  take(1_us, 1);
  take(2_us, 2);
  take(3_us, -3);
  recorder.take({.link = LinkId{0}, .at = 1_us, .change = 64, .all = 128});
  recorder.take({.unit = graph.pe({1, 0, 0}).ipcq, .part = "W", .at = 1_us, .change = 0, .all = kSlots});
  const trace::Timeline& timeline = recorder.finish(8_us, "test");
  REQUIRE(timeline.series.size() == 4);  // none for the unused queue
  const trace::Series& slots = timeline.series[0];
  CHECK(slots.name == "free slots");
  CHECK(slots.measure == trace::Measure::free);
  CHECK(trace::path_of(timeline.tracks, slots.track) == "sip0.cube0.pe0.pe_ipcq E");
  double used = 0.0;
  Time begin{};
  for (const double value : slots.values) {
    used += (slots.all - value) * to_ns(std::min(timeline.window, 8_us - begin));
    begin += timeline.window;
  }
  CHECK(used == doctest::Approx(1000.0 + 3 * 1000.0));
  CHECK(timeline.series[1].name == "least free slots");
  CHECK(timeline.series[1].measure == trace::Measure::least_free);
  CHECK(std::ranges::min(timeline.series[1].values) == 1.0);
  CHECK(timeline.series[1].values.back() == 4.0);
  CHECK(timeline.series[2].name == "free credits");
  CHECK(timeline.series[2].values.back() == doctest::Approx(64.0));
  CHECK(std::ranges::min(timeline.series[3].values) == 64.0);
}

}  // namespace kbsim::report_span_levels_test
