#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Where a paced run is told from: the first of its packets comes to the node behind `hop` links then. They
/// cross the last of these `lag` before, with that batch of the time; `late`, as Packet has it.
struct RunEntry {
  std::uint32_t hop = 0;
  Time head{};
  Time tail{};
  Time lag{};
  std::uint32_t batch = 0;
  std::uint8_t late = 0;
};

}  // namespace kbsim::hw
