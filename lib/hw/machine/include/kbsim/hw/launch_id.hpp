#pragma once

#include <cstdint>

namespace kbsim::hw {

/// Which launch a kernel runs in.
struct LaunchId {
  std::uint32_t order = 0;  // of the host
  std::uint64_t round = 0;  // of a collective: its number, larger than those before, alike on all packages
};

/// A kernel's place among those of its cube: tl.program_id(0) of tl.num_programs(0).
struct ProgramPlace {
  int id = 0;
  int count = 1;
};

}  // namespace kbsim::hw
