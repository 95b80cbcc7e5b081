#include "kbsim/oplog/op.hpp"

#include <array>

#include <fmt/format.h>

namespace kbsim::oplog {

std::string to_string(const ValueId& id) {
  return id.valid() ? fmt::format("{}:{}", id.lane, id.seq) : "none";
}

std::string_view to_string(OpKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"literal", "fill", "copy", "cast", "binary"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(BinaryOp op) {
  constexpr std::array<std::string_view, 6> kNames{"add", "sub", "mul", "div", "maximum", "minimum"};
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace kbsim::oplog
