#pragma once

#include <cstdint>

namespace kbsim::hw {

/// Which launch a kernel runs in.
struct LaunchId {
  std::uint32_t order = 0;  // of the host
  std::uint64_t round = 0;  // of a collective: its number, larger than those before, alike on all packages
};

}  // namespace kbsim::hw
