#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kbsim/base/time.hpp"

namespace kbsim::inference {

/// Resources whose rates bound an operation's time from below; `latency`: none of them.
enum class Bound : std::uint8_t { hbm, macs, noc, ucie, package, latency };
inline constexpr std::array<std::string_view, 6> kBounds{"HBM",  "MACs",          "NOC",
                                                         "UCIe", "package links", "latency"};
[[nodiscard]] constexpr std::string_view to_string(Bound bound) {
  return kBounds.at(static_cast<std::size_t>(bound));
}

/// Time that each resource needs at its full rate, its busiest unit; none of `latency`.
using BoundTimes = std::array<Time, kBounds.size() - 1>;

/// The resource that needs longest, and its time; of equals the first. `latency` if `taken` is over twice
/// that time, which stays the longest.
struct Roofline {
  Bound bound = Bound::latency;
  Time time{};
};
[[nodiscard]] Roofline roofline(const BoundTimes& needed, Time taken);

}  // namespace kbsim::inference
