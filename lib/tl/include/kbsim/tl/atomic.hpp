#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include "kbsim/base/dtype.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// What an atomic makes of an element x of memory and its operand v: x + v, the greater, the smaller, ...,
/// v; of x and a pair of operands: the second if x is the first, else x.
enum class AtomicOp : std::uint8_t { add, max, min, bit_and, bit_or, bit_xor, exchange, compare_exchange };

[[nodiscard]] std::string_view to_string(AtomicOp op);  // as kernels call it: "atomic_add"

/// As in Triton: of i32, i64, f32 and f64; add of f16 and bf16 too; bits of integers only;
/// compare_exchange of i16, i32 and i64.
[[nodiscard]] bool applies(AtomicOp op, DType dtype);

/// The operation that leaves its result; of neither exchange.
[[nodiscard]] oplog::BinaryOp binary_of(AtomicOp op);

/// An atomic on a row-major block of memory: completed with what the memory held, in the operand's shape.
/// Elements are aligned, and the tiles of one shape and of the memory's dtype.
struct AtomicCommand {
  static constexpr std::string_view kName = "atomic";
  AtomicOp op = AtomicOp::add;
  Ptr to;
  TilePtr operand;
  TilePtr expected;  // of a compare_exchange
  std::source_location at;
};

}  // namespace kbsim
