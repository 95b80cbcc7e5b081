#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Where a burst enters the network: its first packet arrives at the node after `hop` links at `head` and
/// `tail`. Packets cross the last of these links `lag` earlier, in that `batch` of the time; `late` is as in
/// Packet.
struct BurstEntry {
  std::uint32_t hop = 0;
  Time head{};
  Time tail{};
  Time lag{};
  std::uint32_t batch = 0;
  std::uint8_t late = 0;
};

}  // namespace kbsim::hw
