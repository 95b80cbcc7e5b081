#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include "kbsim/base/dtype.hpp"
#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// New value of an element x of memory by an operand v: x + v, the greater, the smaller, ..., v. For
/// compare_exchange, `operand` if x is `expected`, else x.
enum class AtomicOp : std::uint8_t { add, max, min, bit_and, bit_or, bit_xor, exchange, compare_exchange };

[[nodiscard]] std::string_view to_string(AtomicOp op);  // as kernels call it: "atomic_add"

/// Whether the operation exists for the dtype. As in Triton: i32, i64, f32 and f64; add for f16 and bf16 too;
/// bits for integers only; compare_exchange for i16, i32 and i64.
[[nodiscard]] bool applies(AtomicOp op, DType dtype);

/// The binary operation that gives the new value. Not for the two exchanges.
[[nodiscard]] oplog::BinaryOp binary_of(AtomicOp op);

/// An atomic on a row-major block of memory: completed with the old contents, in the operand's shape.
/// Elements are aligned. The tiles have one shape and the memory's dtype.
struct AtomicCommand {
  static constexpr std::string_view kName = "atomic";
  AtomicOp op = AtomicOp::add;
  Ptr to;
  TilePtr operand;
  TilePtr expected;  // for compare_exchange
  std::source_location at;
};

}  // namespace kbsim
