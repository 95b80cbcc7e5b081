#pragma once

#include <concepts>
#include <source_location>
#include <type_traits>

#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/number.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// A tile or a number, with its source location: operators can't take default arguments. It lives as long as
/// the call.
struct Operand {
  Operand(const Tile& t, std::source_location where = std::source_location::current())  // NOLINT
      : tile{&t}, at{where} {}
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  Operand(T n, std::source_location where = std::source_location::current())  // NOLINT
      : number{n}, at{where} {}

  const Tile* tile = nullptr;
  Number number{0};  // if there is no tile
  std::source_location at;
};
static_assert(std::is_trivially_destructible_v<Operand>);

/// Queues a command on pe_math, after casts to the dtype that both promote to. Shapes broadcast; a number
/// takes the tile's dtype unless it is of a higher kind. KernelFault if shapes, dtypes or PEs don't fit.
/// `/` of integers, f16 or bf16 gives f32, and so does `%` of f16 or bf16. `%` has the sign of the first.
[[nodiscard]] Tile binary(oplog::BinaryOp op, const Operand& a, const Operand& b);
[[nodiscard]] Tile unary(oplog::UnaryOp op, const Operand& x);

/// There is no == and no !=: see TL::eq. Nor is there && or ||, which would evaluate both sides.
inline Tile operator+(Operand a, Operand b) { return binary(oplog::BinaryOp::add, a, b); }
inline Tile operator-(Operand a, Operand b) { return binary(oplog::BinaryOp::sub, a, b); }
inline Tile operator*(Operand a, Operand b) { return binary(oplog::BinaryOp::mul, a, b); }
inline Tile operator/(Operand a, Operand b) { return binary(oplog::BinaryOp::div, a, b); }
inline Tile operator%(Operand a, Operand b) { return binary(oplog::BinaryOp::mod, a, b); }
inline Tile operator<(Operand a, Operand b) { return binary(oplog::BinaryOp::lt, a, b); }
inline Tile operator<=(Operand a, Operand b) { return binary(oplog::BinaryOp::le, a, b); }
inline Tile operator>(Operand a, Operand b) { return binary(oplog::BinaryOp::gt, a, b); }
inline Tile operator>=(Operand a, Operand b) { return binary(oplog::BinaryOp::ge, a, b); }
inline Tile operator&(Operand a, Operand b) { return binary(oplog::BinaryOp::bit_and, a, b); }
inline Tile operator|(Operand a, Operand b) { return binary(oplog::BinaryOp::bit_or, a, b); }
inline Tile operator^(Operand a, Operand b) { return binary(oplog::BinaryOp::bit_xor, a, b); }
inline Tile operator<<(Operand a, Operand b) { return binary(oplog::BinaryOp::shl, a, b); }
inline Tile operator>>(Operand a, Operand b) { return binary(oplog::BinaryOp::shr, a, b); }
inline Tile operator-(Operand a) { return unary(oplog::UnaryOp::neg, a); }
inline Tile operator~(Operand a) { return unary(oplog::UnaryOp::invert, a); }

inline Tile& operator+=(Tile& a, Operand b) { return a = binary(oplog::BinaryOp::add, {a, b.at}, b); }
inline Tile& operator-=(Tile& a, Operand b) { return a = binary(oplog::BinaryOp::sub, {a, b.at}, b); }
inline Tile& operator*=(Tile& a, Operand b) { return a = binary(oplog::BinaryOp::mul, {a, b.at}, b); }
inline Tile& operator/=(Tile& a, Operand b) { return a = binary(oplog::BinaryOp::div, {a, b.at}, b); }

}  // namespace kbsim
