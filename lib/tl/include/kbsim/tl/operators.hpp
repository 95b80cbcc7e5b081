#pragma once

#include <source_location>

#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// An operand of an operator, with the place where it stands: operators can't take default arguments.
struct Operand {
  Operand(const Tile& t, std::source_location where = std::source_location::current())  // NOLINT
      : tile{t}, at{where} {}
  const Tile& tile;
  std::source_location at;
};

/// Queues a binary command on pe_math. Shapes and dtypes must be equal, on one PE; else KernelFault.
[[nodiscard]] Tile binary(oplog::BinaryOp op, const Tile& a, const Tile& b, std::source_location at);
/// The same with one number on the right.
[[nodiscard]] Tile binary(oplog::BinaryOp op, const Tile& a, double b, std::source_location at);

inline Tile operator+(Operand a, Operand b) { return binary(oplog::BinaryOp::add, a.tile, b.tile, a.at); }
inline Tile operator-(Operand a, Operand b) { return binary(oplog::BinaryOp::sub, a.tile, b.tile, a.at); }
inline Tile operator*(Operand a, Operand b) { return binary(oplog::BinaryOp::mul, a.tile, b.tile, a.at); }
inline Tile operator/(Operand a, Operand b) { return binary(oplog::BinaryOp::div, a.tile, b.tile, a.at); }
inline Tile operator*(Operand a, double b) { return binary(oplog::BinaryOp::mul, a.tile, b, a.at); }
inline Tile operator/(Operand a, double b) { return binary(oplog::BinaryOp::div, a.tile, b, a.at); }
inline Tile& operator+=(Tile& a, Operand b) { return a = binary(oplog::BinaryOp::add, a, b.tile, b.at); }

}  // namespace kbsim
