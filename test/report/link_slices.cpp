// When links were busy, in bounded memory.
#include "kbsim/report/link_slices.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/report/span_recorder.hpp"

#include "../topology/machines.hpp"

namespace kbsim::report_link_slices_test {

using namespace kbsim::report;

namespace {

LinkSlices::Stretch packet(Time start, Time end, std::uint64_t message) {
  return {.start = start,
          .end = end,
          .busy = end - start,
          .bytes = 64,
          .packets = 1,
          .message = message,
          .name = 7};
}

}  // namespace

TEST_CASE("LinkSlices: packets of a message that follow one another are one, others aren't") {
  LinkSlices links{100};
  links.add(2, packet(0_ns, 1_ns, 1));
  links.add(2, packet(1_ns, 2_ns, 1));
  links.add(2, packet(2_ns, 3_ns, 2));  // of another message
  links.add(2, packet(4_ns, 5_ns, 2));  // after a gap
  links.add(0, packet(1_ns, 2_ns, 1));
  CHECK(links.size() == 4);
  CHECK(links.by_link()[2][0].end == 2_ns);
  CHECK(links.by_link()[2][0].packets == 2);
  CHECK(links.gap() == Time{0});
}

TEST_CASE("LinkSlices: beyond the bound the smallest gaps are closed; bytes, packets and busy time stay") {
  constexpr std::size_t kMost = 1000;
  constexpr int kLinks = 20;
  LinkSlices links{kMost};
  std::mt19937_64 random{3};
  std::vector<Time> at(kLinks);
  Time busy{};
  constexpr int kPackets = 50'000;
  for (int i = 0; i < kPackets; ++i) {
    Time& now = at[static_cast<std::size_t>(i % kLinks)];
    now += Time{static_cast<std::int64_t>(random() % 5000)};
    const Time length{static_cast<std::int64_t>(1 + random() % 900)};
    links.add(static_cast<std::size_t>(i % kLinks), packet(now, now + length, static_cast<std::uint64_t>(i)));
    now += length;
    busy += length;
  }
  CHECK(links.size() <= kMost);
  CHECK(links.size() >= kMost / 3);
  Time kept{};
  std::uint64_t packets = 0;
  std::int64_t bytes = 0;
  std::size_t count = 0;
  for (const auto& all : links.by_link()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].busy <= all[i].end - all[i].start);
      if (i > 0) CHECK(all[i].start - all[i - 1].end > links.gap());
      kept += all[i].busy;
      packets += all[i].packets;
      bytes += all[i].bytes;
      ++count;
    }
  }
  CHECK(kept == busy);
  CHECK(packets == kPackets);
  CHECK(bytes == 64 * kPackets);
  CHECK(count == links.size());
}

TEST_CASE("LinkSlices: where there are more links than stretches each link has one") {
  LinkSlices links{4};
  for (std::uint64_t i = 0; i < 400; ++i)
    links.add(i % 100, packet(Time{static_cast<std::int64_t>(i) * 1000},
                              Time{static_cast<std::int64_t>(i) * 1000 + 10}, i));
  CHECK(links.size() >= 100);
  CHECK(links.size() <= 200);
}

TEST_CASE("SpanRecorder: links are slices where they are asked for, in place of those that a glob gives") {
  const topology::Graph graph = topology::graph_of(topology::machine({.sips = 2}));
  for (const std::size_t most : {std::size_t{0}, std::size_t{1000}}) {
    SpanRecorder recorder{graph, {.links = most}};
    for (const Time start : {0_ns, 1_ns, 5_ns}) {
      recorder.add({.kind = hw::SpanKind::link,
                    .link = LinkId{0},
                    .what = "write data",
                    .ready = start,
                    .start = start,
                    .end = start + 1_ns,
                    .bytes = 64_B,
                    .count = 1,
                    .id = 9});
    }
    std::vector<trace::Slice> slices;
    trace::Timeline& timeline = recorder.finish(10_ns, "test");
    timeline.slices.for_each([&](const trace::Slice& slice) { slices.push_back(slice); });
    REQUIRE(slices.size() == (most == 0 ? 0 : 2));
    if (most == 0) continue;
    CHECK(slices[0].duration() == 2_ns);
    CHECK(slices[0].bytes == 128);
    CHECK(timeline.strings[slices[0].name] == "write data");
    CHECK(timeline.tracks[slices[0].track].name == graph.link_name(LinkId{0}));
  }
}

}  // namespace kbsim::report_link_slices_test
