#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

enum class Cut { package, cube };

/// How a machine's parts could run side by side: the process of each part, and how long none of them hears of
/// another. A node holds a packet for its overhead before a link carries it, for the wire's delay; one that
/// chooses among packets when the link is free, or waits for room behind it, gives the wire's delay alone.
struct Partition {
  std::vector<std::size_t> process;  // by MachineParts' numbers
  std::size_t processes = 1;
  std::size_t host = 0;
  Time lookahead = kForever;
  std::string from;  // what the lookahead is of, with its keys; empty if nothing crosses
};

/// Parts between which a link takes less than `least` are one process.
[[nodiscard]] Partition partition(const Machine& machine, Cut cut, Time least);
/// All in one process.
[[nodiscard]] Partition undivided(const Machine& machine);

}  // namespace kbsim::hw
