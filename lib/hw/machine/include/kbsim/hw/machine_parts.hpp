#pragma once

#include <cstddef>

#include "kbsim/sim/event_watch.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// Places of a machine that could be simulated side by side: each cube, each package's IO chiplet, and the
/// host with its switch and all the rest. Numbers follow from the graph alone.
class MachineParts {
 public:
  static constexpr PartId kHost = 0;

  explicit MachineParts(const topology::Graph& graph);

  [[nodiscard]] PartId of(const topology::Node& node) const;
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The package, from 0, of a part that isn't the host's.
  [[nodiscard]] int package(PartId part) const { return (part - 1) / in_package_; }

 private:
  int in_package_;  // the IO chiplet and the cubes
  std::size_t count_;
};

}  // namespace kbsim::hw
