#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/sim/deadlock.hpp"

#include "window_process.hpp"

namespace kbsim::detail {

/// The processes of Windows and the borders between them.
struct WindowGraph {
  /// The processes outlive it.
  explicit WindowGraph(const std::vector<Simulation*>& sims);

  /// Sets the lookahead of all borders, later ones included. UsageError unless it is positive.
  void set_lookahead(Time lookahead);
  /// The least lookahead of all borders.
  [[nodiscard]] Time least_lookahead() const;
  /// Events of all processes.
  [[nodiscard]] std::uint64_t events() const;
  /// The time of the process that is farthest.
  [[nodiscard]] Time latest() const;
  [[nodiscard]] std::vector<Waiting> waiting() const;

  std::vector<WindowProcess> processes;
  std::vector<AnyBorder*> borders;
  Time lookahead{};                     // of borders that have none of their own
  alignas(128) std::size_t parity = 0;  // of the present window: which of a border's two lists is written
};

}  // namespace kbsim::detail
