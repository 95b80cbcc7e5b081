// Spans that a machine reports become a timeline.
#include "kbsim/report/span_recorder.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "../topology/machines.hpp"

namespace kbsim::report_span_recorder_test {

using namespace kbsim::report;
using hw::Span;
using hw::SpanFlow;
using hw::SpanKind;

namespace {

struct Recorded {
  explicit Recorded(SpanSelection selection = {}) : recorder{graph, std::move(selection)} {}

  [[nodiscard]] NodeId gemm() const { return graph.pe({}).gemm; }
  [[nodiscard]] NodeId ipcq() const { return graph.pe({}).ipcq; }
  void work(Time start, Time end, const char* what = "dot") {
    recorder.add(
        {.kind = SpanKind::work, .unit = gemm(), .what = what, .ready = start, .start = start, .end = end});
  }
  void packet(Time start, Time end, std::uint64_t message) {
    recorder.add({.kind = SpanKind::link,
                  .link = LinkId{0},
                  .what = "write data",
                  .ready = start,
                  .start = start,
                  .end = end,
                  .bytes = 64_B,
                  .count = 1,
                  .id = message});
  }
  std::vector<trace::Slice> slices(Time now = 1_us) {
    std::vector<trace::Slice> all;
    timeline = &recorder.finish(now, "test");
    timeline->slices.for_each([&](const trace::Slice& slice) { all.push_back(slice); });
    return all;
  }
  // Values of the only series of that name.
  [[nodiscard]] std::vector<double> series(const std::string& name) const {
    const auto found = std::ranges::find(timeline->series, name, &trace::Series::name);
    REQUIRE(found != timeline->series.end());
    return found->values;
  }

  topology::Graph graph = topology::graph_of(topology::machine({.sips = 2}));
  SpanRecorder recorder;
  trace::Timeline* timeline = nullptr;
};

}  // namespace

TEST_CASE("SpanRecorder: a window cuts slices exactly, and leaves out what only touches it") {
  Recorded run{{.from = 100_ns, .to = 200_ns}};
  run.work(0_ns, 100_ns);    // touches
  run.work(90_ns, 150_ns);   // reaches in
  run.work(150_ns, 150_ns);  // nothing but a time
  run.work(190_ns, 210_ns);  // reaches out
  run.work(200_ns, 220_ns);  // touches
  const auto slices = run.slices();
  REQUIRE(slices.size() == 3);
  CHECK(slices[0].start == 100_ns);
  CHECK(slices[0].end() == 150_ns);
  CHECK(slices[0].cut);
  CHECK_FALSE(slices[1].cut);
  CHECK(slices[2].start == 190_ns);
  CHECK(slices[2].end() == 200_ns);
  CHECK(slices[2].cut);
  CHECK(run.timeline->begin == 100_ns);
  CHECK(run.timeline->end == 200_ns);
  double busy = 0.0;
  Time begin = 100_ns;
  for (const double share : run.series("utilisation")) {
    busy += share * to_ns(std::min(run.timeline->window, 200_ns - begin));
    begin += run.timeline->window;
  }
  CHECK(busy == doctest::Approx(60.0));
}

TEST_CASE("SpanRecorder: names that a glob fits are kept, links and ports among them; all others aren't") {
  for (const auto& [glob, kept] : {std::pair{"", 1}, {"*", 2}, {"*pe_gemm", 1}, {"*>*", 1}, {"sip1.*", 0}}) {
    CAPTURE(glob);
    Recorded run{{.units = glob}};
    run.work(0_ns, 10_ns);
    run.packet(0_ns, 10_ns, 1);
    CHECK(run.slices().size() == kept);
  }
}

TEST_CASE("SpanRecorder: a glob that fits no name is an error that says what names are like") {
  CHECK_THROWS_WITH_AS((Recorded{{.units = "sip9.*"}}), doctest::Contains("'sip9.*': no rank, unit or link"),
                       UsageError);
  CHECK_NOTHROW((Recorded{{.units = "rank1"}}));
}

TEST_CASE(
    "SpanRecorder: packets of a message that follow one another are a slice, unless packets are asked for") {
  for (const bool packets : {false, true}) {
    Recorded run{{.units = "*>*", .packets = packets}};
    run.packet(0_ns, 1_ns, 1);
    run.packet(1_ns, 2_ns, 1);
    run.packet(2_ns, 3_ns, 2);  // of another message
    run.packet(5_ns, 6_ns, 2);  // after a gap
    const auto slices = run.slices();
    REQUIRE(slices.size() == (packets ? 4 : 3));
    if (packets) continue;
    CHECK(slices[0].end() == 2_ns);
    CHECK(slices[0].count == 2);
    CHECK(slices[0].bytes == 128);
  }
}

TEST_CASE("SpanRecorder: a span without an end lasts until the run ends, and says so") {
  Recorded run;
  const int key = 0;
  run.recorder.open(&key, {.kind = SpanKind::receive, .unit = run.ipcq(), .what = "recv W", .start = 10_ns});
  const auto slices = run.slices(70_ns);
  REQUIRE(slices.size() == 1);
  CHECK(slices[0].end() == 70_ns);
  CHECK(slices[0].unfinished);
}

TEST_CASE("SpanRecorder: a flow has both its ends, or isn't there") {
  Recorded run;
  const int sent = 0, received = 0, lost = 0;
  const auto open = [&](const int* key, SpanKind kind) {
    run.recorder.open(key, {.kind = kind, .unit = run.ipcq(), .what = "E", .start = 10_ns});
  };
  open(&sent, SpanKind::send);
  open(&received, SpanKind::receive);
  open(&lost, SpanKind::send);
  run.recorder.close(&sent, 20_ns, {SpanFlow::Kind::message, 0x4000, 7});
  run.recorder.close(&lost, 20_ns, {SpanFlow::Kind::message, 0x4000, 8});
  run.recorder.close(&received, 30_ns, {SpanFlow::Kind::message, 0x4000, 7});
  const auto slices = run.slices();
  REQUIRE(slices.size() == 3);
  CHECK(run.timeline->flows.size() == 1);
  CHECK(std::ranges::count_if(slices, [&](const auto& s) { return run.timeline->has_flow(s.to); }) == 1);
  const auto end = std::ranges::find_if(slices, [](const auto& s) { return s.from != 0; });
  REQUIRE(end != slices.end());
  CHECK(end->ends_flow_last);
}

TEST_CASE("SpanRecorder: a launch has an arrow to each of its kernels") {
  Recorded run;
  run.recorder.add({.kind = SpanKind::order,
                    .rank = 0,
                    .what = "copy",
                    .end = 50_ns,
                    .count = 3,
                    .to = {SpanFlow::Kind::launch, 4, 0}});
  for (std::uint64_t target = 0; target < 2; ++target)
    run.recorder.add({.kind = SpanKind::kernel,
                      .unit = run.graph.pe({}).cpu,
                      .what = "copy",
                      .start = 10_ns,
                      .end = 20_ns,
                      .from = {SpanFlow::Kind::launch, 4, target}});
  (void)run.slices();
  CHECK(run.timeline->flows.size() == 2);
}

TEST_CASE("SpanRecorder: beyond its limit slices are left out, and it says from when on") {
  Recorded run{{.most = 2}};
  for (int i = 0; i < 5; ++i) run.work(i * 10_ns, i * 10_ns + 1_ns);
  CHECK(run.slices().size() == 2);
  CHECK(run.recorder.full_since() == 20_ns);
}

TEST_CASE("SpanSeries: windows sum to what was added, exactly, however wide they become") {
  std::mt19937 random{3};  // NOLINT(cert-msc51-cpp)
  for (int round = 0; round < 50; ++round) {
    SpanSeries series{Time{round * 100}};
    Time sum{};
    Time last{};
    for (int i = 0; i < 300; ++i) {
      const Time start{static_cast<std::int64_t>(round * 100 + random() % 100'000'000)};
      const Time length{static_cast<std::int64_t>(random() % 1'000'000)};
      series.add(start, start + length);
      sum += length;
      last = std::max(last, start + length);
    }
    CHECK(series.total() == sum);
    CHECK(series.windows().size() <= SpanSeries::kMost);
    CHECK(series.windows().size() > SpanSeries::kMost / 2 - 1);
    series.widen(series.width() * 8);
    CHECK(series.total() == sum);
    CHECK(series.windows().size() <= SpanSeries::kMost / 8 + 1);
  }
}

TEST_CASE("SpanSeries: one that lasts all the time fills its windows") {
  SpanSeries series;
  series.add(Time{0}, SpanSeries::kFirst * 10);
  REQUIRE(series.windows().size() == 10);
  for (const Time window : series.windows()) CHECK(window == series.width());
}

}  // namespace kbsim::report_span_recorder_test
