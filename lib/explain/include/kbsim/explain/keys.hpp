#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/explain/path.hpp"

namespace kbsim::explain {

/// How the time of work at a rate, or a part of a latency, is rounded to picoseconds.
enum class Rounding : std::uint8_t { bandwidth, up, down, nearest };

/// Rounds down, but ignores the noise of a division.
[[nodiscard]] Time rounded_down(double ns);

/// The grid of a key's values: whole picoseconds, whole cycles, or any.
enum class Grid : std::uint8_t { picoseconds, cycles, none };
[[nodiscard]] Grid grid_of(std::string_view unit);
/// One of a unit: "cycle" of "cycles".
[[nodiscard]] std::string one_of(const std::string& unit);

/// A part of a segment's length that follows from a key: a multiple of its value, or bytes at its rate.
struct Term {
  std::string key;   // "cube.noc.router.overhead_ns", as --set has it
  std::string unit;  // of the value: "ns", "GB/s", "ns/mm", "cycles", "MAC/ns"
  double value = 0.0;
  Time time{};             // its part of the segment
  double count = 0.0;      // of a latency, how many ns a unit of the value adds; 0: it is a rate
  std::int64_t bytes = 0;  // of a rate, or other work, each time
  std::int64_t times = 0;  // how often the latency is paid, or that work done
  double share = 1.0;      // of the value, available to them
  Rounding rounding = Rounding::bandwidth;
  bool shared = false;  // another key has the same time
  Time floor{};         // however the value changes, each of `times` takes at least this long

  [[nodiscard]] bool is_rate() const { return bytes > 0; }
  /// How long one of `times` takes with another value.
  [[nodiscard]] Time at(double to) const;
  [[nodiscard]] Time change(double to) const { return times * (at(to) - at(value)); }
  /// How many ns longer for one more of its unit, before rounding.
  [[nodiscard]] double slope_ns() const;

 private:
  [[nodiscard]] Time without_floor(double to) const;
};
/// The terms of a segment; empty where no key determines its length.
[[nodiscard]] std::vector<Term> terms_of(const Segment& segment, const hw::Machine& machine);

/// "serialization"; "busy link" if other work caused it.
[[nodiscard]] std::string_view reason_name(const Segment& segment);
/// The subject of a wait: "a free slot". Empty if the reason is no such wait.
[[nodiscard]] std::string_view wait_name(hw::Reason reason);
/// A remedy for such a wait: "more slots (n_slots of the algorithm)". Empty if none is known.
[[nodiscard]] std::string_view remedy_of(hw::Reason reason);
/// The link's or the node's name.
[[nodiscard]] std::string place_name(const Segment& segment, const topology::Graph& graph);
/// "router"; for a link, "NOC".
[[nodiscard]] std::string place_kind(const Segment& segment, const topology::Graph& graph);

}  // namespace kbsim::explain
