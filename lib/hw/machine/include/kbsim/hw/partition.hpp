#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

enum class Cut { package, cube };

/// How a machine's parts could run side by side: the process of each part, and the time in which no process
/// affects another. A node holds a packet for its overhead, then the link carries it for the wire's delay.
/// For a node that chooses among packets when the link is free, or waits for credits, only the wire's delay
/// counts.
struct Partition {
  std::vector<std::size_t> process;  // by MachineParts' numbers
  std::size_t processes = 1;
  std::size_t host = 0;
  Time lookahead = kForever;
  std::string from;  // origin of the lookahead, with its keys; empty if nothing crosses
};

/// Parts between which a link takes less than `least` are one process.
[[nodiscard]] Partition partition(const Machine& machine, Cut cut, Time least);
/// All in one process.
[[nodiscard]] Partition undivided(const Machine& machine);

}  // namespace kbsim::hw
