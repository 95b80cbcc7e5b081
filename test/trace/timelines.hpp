// Timelines made by hand.
#pragma once

#include <string>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::test {

/// One package, one PE: a kernel with a range, a wait and two commands, and a DMA with two transfers at a
/// time.
inline void fill(trace::Timeline& line) {
  line.title = "hand-made";
  line.ranks = 1;
  line.end = 100_ns;
  line.window = 50_ns;
  line.tracks = {{.name = "sip0", .process = 0},
                 {.name = "pe0", .parent = 0, .order = 7, .process = 0},
                 {.name = "kernel", .parent = 1, .order = 0, .process = 0, .stream = 0},
                 {.name = "dma", .parent = 1, .order = 1, .process = 0, .stream = 1}};
  const auto add = [&](trace::TrackId track, trace::SliceKind kind, const char* name, Time start, Time end) {
    line.slices.add({.track = track,
                     .start = start,
                     .minus_end = -end.count(),
                     .kind = kind,
                     .name = line.strings.id(name),
                     .at = line.strings.id("a.cpp:7")});
  };
  using enum trace::SliceKind;
  add(2, wait, "wait: load", 20_ns, 40_ns);
  add(2, issue, "a.cpp:7", 10_ns, 14_ns);
  add(2, issue, "a.cpp:8", 14_ns, 18_ns);
  add(2, range, "inner", 10_ns, 40_ns);
  add(2, range, "outer", 10_ns, 90_ns);
  add(2, kernel, "k", 10_ns, 90_ns);
  add(3, transfer, "load", 14_ns, 40_ns);
  add(3, transfer, "store", 30_ns, 35_ns);
  add(3, transfer, "later", 40_ns, 41_ns);
  line.series.push_back({.track = 3,
                         .measure = trace::Measure::under_way,
                         .name = "under way",
                         .unit = "mean number",
                         .values = {0.62, 0.0}});
}

inline std::string perfetto_bytes(trace::Timeline& line, trace::TimeUnit unit = trace::TimeUnit::ns) {
  std::string bytes;
  write_perfetto(line, unit, [&](std::string_view more) { bytes += more; });
  return bytes;
}
inline std::string chrome_bytes(trace::Timeline& line, int rank = -1) {
  std::string bytes;
  write_chrome(line, rank, [&](std::string_view more) { bytes += more; });
  return bytes;
}

}  // namespace kbsim::test
