#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// vector_add: out[i] = x[i] + y[i] for n elements, in blocks that `programs` PEs of a cube take in turn.
struct VectorAddArgs {
  Ptr x, y, out;
  std::int64_t n = 0;
  std::int64_t block = 1024;
  int programs = 1;
};

/// va_copy: PE p of a package copies the `per_pe` elements at src + p * per_pe to dst + p * per_pe.
struct VaCopyArgs {
  Ptr src, dst;
  std::int64_t per_pe = 0;
};

}  // namespace kbsim
