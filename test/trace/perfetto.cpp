#include <algorithm>

#include <doctest/doctest.h>

#include "decoded.hpp"
#include "timelines.hpp"

using namespace kbsim;
using namespace kbsim::test;

TEST_CASE("Perfetto trace: tracks lie in one another, in the order that is asked for") {
  trace::Timeline line;
  fill(line);
  const Decoded trace = decoded(perfetto_bytes(line));
  CHECK(trace.title == "hand-made");
  CHECK(trace.orders.at("sip0.pe0") == 7);
  CHECK(trace.orders.at("sip0.pe0.dma") == 1);
  CHECK(trace.slice("k").path == "sip0.pe0.kernel");
}

TEST_CASE("Perfetto trace: kernel, ranges, waits and commands nest, whatever the order in which they came") {
  trace::Timeline line;
  fill(line);
  const Decoded trace = decoded(perfetto_bytes(line));
  CHECK(trace.slice("k").depth == 0);
  CHECK(trace.slice("outer").depth == 1);
  CHECK(trace.slice("inner").depth == 2);
  CHECK(trace.slice("wait: load").depth == 3);
  CHECK(trace.slice("a.cpp:8").begin == 14);
  CHECK(trace.slice("a.cpp:8").end == 18);
}

TEST_CASE("Perfetto trace: what overlaps and isn't one inside the other is on tracks of one name") {
  trace::Timeline line;
  fill(line);
  const Decoded trace = decoded(perfetto_bytes(line));
  for (const char* name : {"load", "store", "later"}) {
    CHECK(trace.slice(name).depth == 0);
    CHECK(trace.slice(name).path == "sip0.pe0.dma");
  }
}

TEST_CASE("Perfetto trace: exact times are in the annotations; with ps they are in the times, too") {
  trace::Timeline line;
  fill(line);
  line.slices.add({.track = 3, .start = 50123_ps, .minus_end = -50456, .name = line.strings.id("short")});
  const Decoded in_ns = decoded(perfetto_bytes(line));
  CHECK(in_ns.slice("short").begin == 50);
  CHECK(in_ns.slice("short").end == 50);
  CHECK(in_ns.slice("short").notes.at("start_ps") == "50123");
  CHECK(in_ns.slice("short").notes.at("duration_ps") == "333");
  const Decoded in_ps = decoded(perfetto_bytes(line, trace::TimeUnit::ps));
  CHECK(in_ps.slice("short").begin == 50123);
  CHECK(in_ps.slice("short").end == 50456);
  CHECK(in_ps.slice("k").notes.at("at") == "a.cpp:7");
}

TEST_CASE("Perfetto trace: a flow is written where both its ends are, and ends where its slice says") {
  trace::Timeline line;
  fill(line);
  line.slices.add({.track = 2,
                   .start = 91_ns,
                   .minus_end = -92'000,
                   .name = line.strings.id("from"),
                   .to = 5,
                   .flows = 3});
  line.slices.add({.track = 3,
                   .start = 90_ns,
                   .minus_end = -95'000,
                   .kind = trace::SliceKind::receive,
                   .name = line.strings.id("to"),
                   .from = 6,
                   .ends_flow_last = true});
  line.flows = {6};
  const Decoded trace = decoded(perfetto_bytes(line));
  CHECK(trace.slice("from").flows == std::vector<std::uint64_t>{6});
  const auto end = std::ranges::find_if(trace.slices, &DecodedSlice::instant);
  REQUIRE(end != trace.slices.end());
  CHECK(end->ended_flows == std::vector<std::uint64_t>{6});
  CHECK(end->begin == 95);
  CHECK(end->depth == 1);
}

TEST_CASE("Perfetto trace: a series has a value where it changes, and 0 at the end") {
  trace::Timeline line;
  fill(line);
  line.series.push_back({.track = 2, .name = "steady", .unit = "of 1", .values = {0.5, 0.5}});
  const Decoded trace = decoded(perfetto_bytes(line));
  const auto& counts = trace.counts.at("sip0.pe0.kernel.steady");
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].value == 0.5);
  CHECK(counts[1].at == 100);
  CHECK(counts[1].value == 0.0);
  CHECK(trace.counts.at("sip0.pe0.dma.under way").size() == 2);
}

TEST_CASE("Perfetto trace: any first part of the packets is a trace") {
  trace::Timeline line;
  fill(line);
  std::vector<std::string> pieces;
  for (int i = 0; i < 1000; ++i)
    line.slices.add(
        {.track = 3, .start = Time{i * 10}, .minus_end = -(i * 10 + 5), .name = line.strings.id("x")});
  write_perfetto(line, trace::TimeUnit::ns, [&](std::string_view more) { pieces.emplace_back(more); });
  REQUIRE(pieces.size() > 2);
  CHECK(decoded(perfetto_bytes(line)).slices.size() == 1009);
}

TEST_CASE("Perfetto trace: one without slices has its tracks") {
  trace::Timeline line;
  line.title = "nothing";
  const Decoded trace = decoded(perfetto_bytes(line));
  CHECK(trace.title == "nothing");
  CHECK(trace.slices.empty());
}
