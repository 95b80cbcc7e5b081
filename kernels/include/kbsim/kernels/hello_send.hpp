#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// hello_send: PE 0 of cube 0 sends its `n` elements to PE 0 of cube 1, its neighbour to the E, which puts
/// them in the place of its own. Cube c's part of `data` is at c * n.
struct HelloArgs {
  Ptr data;
  std::int64_t n = 0;
};

}  // namespace kbsim
