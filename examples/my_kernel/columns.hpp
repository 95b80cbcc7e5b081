#pragma once

#include <kbsim/tl/ptr.hpp>

#include "strided.hpp"

namespace mine {

/// Arguments of the kernel `columns`: some columns of a matrix, into a matrix of their own.
struct ColumnsArgs {
  kbsim::Ptr from;
  kbsim::Ptr to;
  Strided what;
  bool by_descriptor = false;  // kbsim's own strided load, to compare with
};

}  // namespace mine
