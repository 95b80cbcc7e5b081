#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/machine.hpp"

namespace kbsim::evaluate {

/// Resources of a machine whose rates bound a time from below; `latency` means no such resource.
enum class Resource : std::uint8_t { hbm, macs, noc, ucie, latency };
[[nodiscard]] std::string_view to_string(Resource resource);   // "HBM", "MACs", "NOC", "UCIe", "latency"
[[nodiscard]] Resource resource_named(std::string_view name);  // latency if none has that name

/// Time that each resource needs at its full rate. The slowest of its units counts.
class IdealTimes {
 public:
  [[nodiscard]] Time of(Resource resource) const { return times_[static_cast<std::size_t>(resource)]; }
  void at_least(Resource resource, Time time);

 private:
  std::array<Time, 4> times_{};
};

/// The resource whose ideal time is longest, and that time as a share of the time taken. It is `latency`
/// where the time taken is over twice the longest ideal time; the share is then the rest of the time. The
/// first in the enum's order wins a tie.
struct Roofline {
  Resource resource = Resource::latency;
  double share = 0.0;
};
[[nodiscard]] Roofline roofline(const IdealTimes& ideal, Time taken);

/// Whether a critical path with that limit (explain::limited_by()) waits for that resource.
[[nodiscard]] bool agrees(Resource resource, std::string_view limited_by);

/// Notes how long memories and links of a machine have worked, and gives what they have served since.
class ServedSince {
 public:
  explicit ServedSince(hw::Machine& machine);
  /// Ideal times of HBM (bytes at the effective rate of a slice or pseudo-channel), NOC (all links within
  /// cubes) and UCIe links.
  [[nodiscard]] IdealTimes ideal_times() const;

 private:
  struct Unit {
    Resource resource;
    Time busy;
  };
  [[nodiscard]] static std::vector<Unit> units_of(hw::Machine& machine);

  hw::Machine& machine_;
  std::vector<Unit> before_;
};

}  // namespace kbsim::evaluate
