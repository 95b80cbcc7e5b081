#pragma once

#include <compare>
#include <cstdint>

#include "kbsim/base/time.hpp"
#include "kbsim/trace/strings.hpp"

namespace kbsim::trace {

using TrackId = std::uint32_t;
inline constexpr TrackId kNoTrack = 0xffff'ffff;

/// The kind of a slice; formats with their own words for some kinds use it.
enum class SliceKind : std::uint8_t {
  program,
  host_range,  // of a program, by rk.range
  call,
  collective,
  phase,
  order,
  launch,
  kernel,
  collective_kernel,
  range,  // of a kernel, by tl.range
  wait,
  issue,
  work,
  transfer,
  send,
  receive,
  port,
  link,
};

/// An interval from `start` to `end`, stored in a file of spans as plain bytes. Slices are sorted by track,
/// then outer before inner.
struct Slice {
  TrackId track = 0;
  Time start{};
  std::int64_t minus_end = 0;  // if two start together, the longer one is first
  SliceKind kind{};            // if they are equally long, the smaller kind is first
  bool cut = false;            // it began before the window, or ended after it
  bool unfinished = false;     // the run ended before it did
  StringId name = 0;
  StringId detail = 0;
  StringId part = 0;  // of a collective: its dtype
  StringId at = 0;    // "file:line" of the program
  std::int64_t bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t id = 0;
  std::int32_t group = 0;       // of a collective
  std::uint64_t from = 0;       // the flow that ends here; 0: none
  std::uint64_t to = 0;         // the first of the flows that begin here
  std::uint64_t flows = 0;      // number of flows that begin here
  Time idle{};                  // of a link's slice: idle time between its packets
  bool ends_flow_last = false;  // `from` ends with the slice, not with its start

  [[nodiscard]] Time end() const { return Time{-minus_end}; }
  [[nodiscard]] Time duration() const { return end() - start; }
  friend auto operator<=>(const Slice&, const Slice&) = default;
};

}  // namespace kbsim::trace
