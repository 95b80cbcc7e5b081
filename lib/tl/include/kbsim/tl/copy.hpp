#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/base/shape.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// A row-major block from memory to memory: done when the memory of `to` has acknowledged. All of it is read
/// before any of it is written.
struct CopyCommand {
  static constexpr std::string_view kName = "copy";
  Ptr to;  // of the dtype of `from`
  Ptr from;
  Shape shape;
  std::source_location at;
};

}  // namespace kbsim
