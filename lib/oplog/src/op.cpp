#include "kbsim/oplog/op.hpp"

#include <array>

#include <fmt/format.h>

namespace kbsim::oplog {

std::string to_string(const ValueId& id) {
  return id.valid() ? fmt::format("{}:{}", id.lane, id.seq) : "none";
}

std::string_view to_string(OpKind kind) {
  constexpr std::array<std::string_view, 18> kNames{
      "literal", "fill",   "arange", "copy",    "cast",      "print",  "unary", "binary",  "ternary",
      "reduce",  "cumsum", "topk",   "permute", "broadcast", "concat", "dot",   "softmax", "check"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(UnaryOp op) {
  constexpr std::array<std::string_view, 16> kNames{"neg",     "invert", "abs",   "exp", "exp2", "log",
                                                    "log2",    "sqrt",   "rsqrt", "sin", "cos",  "tanh",
                                                    "sigmoid", "erf",    "floor", "ceil"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_string(BinaryOp op) {
  constexpr std::array<std::string_view, 18> kNames{
      "add", "sub", "mul", "div", "maximum", "minimum", "mod",     "lt",  "le",
      "gt",  "ge",  "eq",  "ne",  "bit_and", "bit_or",  "bit_xor", "shl", "shr"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_string(TernaryOp op) {
  constexpr std::array<std::string_view, 3> kNames{"where", "fma", "clamp"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_string(ReduceOp op) {
  constexpr std::array<std::string_view, 6> kNames{"sum", "prod", "max", "min", "argmax", "argmin"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view name_of(OpKind kind, const Parameters& params) {
  switch (kind) {
    case OpKind::unary: return to_string(params.unary);
    case OpKind::binary: return to_string(params.binary);
    case OpKind::ternary: return to_string(params.ternary);
    case OpKind::reduce: return to_string(params.reduce);
    default: return to_string(kind);
  }
}

}  // namespace kbsim::oplog
