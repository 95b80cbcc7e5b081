#pragma once

#include <cstdint>

namespace kbsim::hw {

/// The launch that a kernel belongs to.
struct LaunchId {
  std::uint32_t order = 0;  // of the host
  std::uint64_t round = 0;  // number of the collective; it increases, and is equal on all packages
};

}  // namespace kbsim::hw
