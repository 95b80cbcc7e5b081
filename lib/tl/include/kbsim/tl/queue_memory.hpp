#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/base/shape.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// A row-major block of memory to the neighbour: a load, then a send of the loaded tile. It keeps its place
/// among the sends of its direction. Done when the tile has left.
struct SendFromCommand {
  static constexpr std::string_view kName = "send from memory";
  Dir to;
  Ptr from;
  Shape shape;
  int tag = 0;
  std::source_location at;
};

/// The next tile from a neighbour into memory. Done, with the tile let go, when the memory has acknowledged.
struct RecvIntoCommand {
  static constexpr std::string_view kName = "recv into memory";
  Dir from;
  Ptr to;  // of the tile's dtype
  Shape shape;
  int tag = 0;
  std::source_location at;
};

}  // namespace kbsim
