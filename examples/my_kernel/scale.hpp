#pragma once

#include <cstdint>

#include <kbsim/tl/ptr.hpp>

namespace mine {

/// Arguments of the kernel `scale`.
struct ScaleArgs {
  kbsim::Ptr x;        // the tensor: each PE has `n` elements of it, one PE's after the other's
  std::int64_t n = 0;  // elements of a PE
  double by = 1.0;
};

}  // namespace mine
