#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kbsim/base/dtype.hpp"

/// The codes of operations, as files hold them, and a row of properties for each. A new code is the last of
/// its enum and has the last row; see docs/extend.md. The rows of kinds are in op_table.hpp.
namespace kbsim::oplog {

enum class OpKind : std::uint8_t {
  literal,          // `data`, contents given by the host
  fill,             // every element is `scalar`
  arange,           // `scalar`, `scalar` + 1, ...
  copy,             // input 0 moved, dtype and count unchanged (DMA, IPCQ, host read and write)
  cast,             // input 0 in another dtype
  print,            // input 0, which a kernel prints under the label `data`
  unary,            // params.unary of each element
  binary,           // params.binary of inputs 0 and 1, broadcast; comparisons give bool
  ternary,          // params.ternary of inputs 0, 1 and 2, broadcast
  reduce,           // params.reduce along params.axis, which goes or stays with extent 1
  cumsum,           // sums of all elements up to each, along params.axis
  topk,             // the largest along the last axis, in descending order, or their indices
  permute,          // axis i of the output is axis params.axes[i] of input 0
  broadcast,        // input 0 repeated along the axes where it has extent 1 or none
  concat,           // the inputs, one after the other along params.axis
  dot,              // inputs 0 [.., m, k] and 1 [.., k, n], added to input 2 [.., m, n] if there is one
  softmax,          // along params.axis
  check,            // input 0; a kernel claims, in `data`, that no element is 0 or NaN
  slice,            // along params.axis, the elements of input 0 from `scalar` on, as many as the output has
  cumsum_reverse,   // sums of each element and all after it, along params.axis
  cumprod,          // products of all elements up to each, along params.axis
  cumprod_reverse,  // products of each element and all after it, along params.axis
};
inline constexpr std::size_t kOpKinds = 22;

/// Whether an operation only passes its input on and reports it: it takes no time.
[[nodiscard]] constexpr bool only_reports(OpKind kind) {
  return kind == OpKind::print || kind == OpKind::check;
}

/// The dtypes of elements that an operation computes with.
enum class Elements : std::uint8_t {
  any,
  numbers,  // all but bool
  floats,
  integers,
  bits,  // integers and bool
};
[[nodiscard]] constexpr bool includes(Elements elements, DType dtype) {
  switch (elements) {
    case Elements::any: return true;
    case Elements::numbers: return dtype != DType::boolean;
    case Elements::floats: return info(dtype).floating;
    case Elements::integers: return !info(dtype).floating && dtype != DType::boolean;
    case Elements::bits: break;
  }
  return !info(dtype).floating;
}

/// The cost class of an element. A softmax is a maximum, a difference, an exponential, a sum, a quotient.
enum class CostClass : std::uint8_t { elementwise, transcendental, reduce, move, softmax, product };

enum class UnaryOp : std::uint8_t {
  neg,
  invert,
  abs,
  exp,
  exp2,
  log,
  log2,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  sigmoid,
  erf,
  floor,
  ceil
};
struct UnaryRow {
  UnaryOp op;
  std::string_view name;
  Elements of;
  CostClass cost;
};
inline constexpr auto kUnaryOps = std::to_array<UnaryRow>({
    {UnaryOp::neg, "neg", Elements::numbers, CostClass::elementwise},
    {UnaryOp::invert, "invert", Elements::bits, CostClass::elementwise},
    {UnaryOp::abs, "abs", Elements::numbers, CostClass::elementwise},
    {UnaryOp::exp, "exp", Elements::floats, CostClass::transcendental},
    {UnaryOp::exp2, "exp2", Elements::floats, CostClass::transcendental},
    {UnaryOp::log, "log", Elements::floats, CostClass::transcendental},
    {UnaryOp::log2, "log2", Elements::floats, CostClass::transcendental},
    {UnaryOp::sqrt, "sqrt", Elements::floats, CostClass::transcendental},
    {UnaryOp::rsqrt, "rsqrt", Elements::floats, CostClass::transcendental},
    {UnaryOp::sin, "sin", Elements::floats, CostClass::transcendental},
    {UnaryOp::cos, "cos", Elements::floats, CostClass::transcendental},
    {UnaryOp::tanh, "tanh", Elements::floats, CostClass::transcendental},
    {UnaryOp::sigmoid, "sigmoid", Elements::floats, CostClass::transcendental},
    {UnaryOp::erf, "erf", Elements::floats, CostClass::transcendental},
    {UnaryOp::floor, "floor", Elements::floats, CostClass::elementwise},
    {UnaryOp::ceil, "ceil", Elements::floats, CostClass::elementwise},
});

enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,  // div of integers truncates
  mod,      // of the sign of the first (C's % and fmod)
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
};
struct BinaryRow {
  BinaryOp op;
  std::string_view name;
  Elements of;
  bool compares = false;  // gives bool
};
inline constexpr auto kBinaryOps = std::to_array<BinaryRow>({
    {BinaryOp::add, "add", Elements::numbers},
    {BinaryOp::sub, "sub", Elements::numbers},
    {BinaryOp::mul, "mul", Elements::numbers},
    {BinaryOp::div, "div", Elements::numbers},
    {BinaryOp::maximum, "maximum", Elements::numbers},
    {BinaryOp::minimum, "minimum", Elements::numbers},
    {BinaryOp::mod, "mod", Elements::numbers},
    {BinaryOp::lt, "lt", Elements::any, true},
    {BinaryOp::le, "le", Elements::any, true},
    {BinaryOp::gt, "gt", Elements::any, true},
    {BinaryOp::ge, "ge", Elements::any, true},
    {BinaryOp::eq, "eq", Elements::any, true},
    {BinaryOp::ne, "ne", Elements::any, true},
    {BinaryOp::bit_and, "bit_and", Elements::bits},
    {BinaryOp::bit_or, "bit_or", Elements::bits},
    {BinaryOp::bit_xor, "bit_xor", Elements::bits},
    {BinaryOp::shl, "shl", Elements::integers},
    {BinaryOp::shr, "shr", Elements::integers},
});

enum class TernaryOp : std::uint8_t { where, fma, clamp };  // condition, a, b; a * b + c; x, low, high
struct TernaryRow {
  TernaryOp op;
  std::string_view name;
  Elements of;
};
inline constexpr auto kTernaryOps = std::to_array<TernaryRow>({
    {TernaryOp::where, "where", Elements::any},
    {TernaryOp::fma, "fma", Elements::floats},
    {TernaryOp::clamp, "clamp", Elements::floats},
});

enum class ReduceOp : std::uint8_t { sum, prod, max, min, argmax, argmin };
struct ReduceRow {
  ReduceOp op;
  std::string_view name;
  bool gives_index = false;
};
inline constexpr auto kReduceOps = std::to_array<ReduceRow>({
    {ReduceOp::sum, "sum"},
    {ReduceOp::prod, "prod"},
    {ReduceOp::max, "max"},
    {ReduceOp::min, "min"},
    {ReduceOp::argmax, "argmax", true},
    {ReduceOp::argmin, "argmin", true},
});

/// Whether each code has its row in its place.
template <class Rows>
[[nodiscard]] consteval bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].op) != i) return false;
  }
  return true;
}
static_assert(in_order(kUnaryOps) && in_order(kBinaryOps) && in_order(kTernaryOps) && in_order(kReduceOps));

[[nodiscard]] constexpr const UnaryRow& row_of(UnaryOp op) {
  return kUnaryOps.at(static_cast<std::size_t>(op));
}
[[nodiscard]] constexpr const BinaryRow& row_of(BinaryOp op) {
  return kBinaryOps.at(static_cast<std::size_t>(op));
}
[[nodiscard]] constexpr const TernaryRow& row_of(TernaryOp op) {
  return kTernaryOps.at(static_cast<std::size_t>(op));
}
[[nodiscard]] constexpr const ReduceRow& row_of(ReduceOp op) {
  return kReduceOps.at(static_cast<std::size_t>(op));
}

[[nodiscard]] std::string_view to_string(OpKind kind);
[[nodiscard]] constexpr std::string_view to_string(UnaryOp op) { return row_of(op).name; }
[[nodiscard]] constexpr std::string_view to_string(BinaryOp op) { return row_of(op).name; }
[[nodiscard]] constexpr std::string_view to_string(TernaryOp op) { return row_of(op).name; }
[[nodiscard]] constexpr std::string_view to_string(ReduceOp op) { return row_of(op).name; }

}  // namespace kbsim::oplog
