#pragma once

#include <compare>
#include <cstdint>

#include "kbsim/base/time.hpp"
#include "kbsim/trace/strings.hpp"

namespace kbsim::trace {

using TrackId = std::uint32_t;
inline constexpr TrackId kNoTrack = 0xffff'ffff;

/// What a slice is; formats that have words of their own for some kinds look here.
enum class SliceKind : std::uint8_t {
  program,
  call,
  collective,
  phase,
  order,
  launch,
  kernel,
  collective_kernel,
  range,
  wait,
  issue,
  work,
  transfer,
  send,
  receive,
  port,
  link,
};

/// Something that lasted from `start` to `end`, as a file of spans holds it: plain bytes. By track, then in
/// the order in which slices lie in one another.
struct Slice {
  TrackId track = 0;
  Time start{};
  std::int64_t minus_end = 0;  // of two that start together the longer one is first
  SliceKind kind{};            // and of two that are as long the one of the smaller kind
  bool cut = false;            // it began before the window, or ended behind it
  bool unfinished = false;     // the run ended before it did
  StringId name = 0;
  StringId detail = 0;
  StringId part = 0;  // of a collective its dtype
  StringId at = 0;    // "file:line" of the program
  std::int64_t bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t id = 0;
  std::int32_t group = 0;       // of a collective
  std::uint64_t from = 0;       // the flow that ends here; 0: none
  std::uint64_t to = 0;         // the first of those that begin here
  std::uint64_t flows = 0;      // how many begin here
  Time idle{};                  // of a link's, between its packets
  bool ends_flow_last = false;  // `from` ends with the slice, not with its start

  [[nodiscard]] Time end() const { return Time{-minus_end}; }
  [[nodiscard]] Time duration() const { return end() - start; }
  friend auto operator<=>(const Slice&, const Slice&) = default;
};

}  // namespace kbsim::trace
