#pragma once

#include "kbsim/base/shape.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// A tensor as an argument of a kernel: the result of desc() of a host program's Tensor. A descriptor of it
/// knows the tensor's layout, whatever its placement.
struct TensorRef {
  Ptr base;
  Shape shape;
};

}  // namespace kbsim
