#pragma once

#include "kbsim/base/shape.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// A tensor as an argument of a kernel: what a host program's Tensor gives as desc(). A descriptor of it
/// knows how the tensor lies, whatever its placement.
struct TensorRef {
  Ptr base;
  Shape shape;
};

}  // namespace kbsim
