// Elementwise commands: unary, binary, ternary.
#include <array>

#include "kbsim/oplog/rules.hpp"
#include "kbsim/tl/tl.hpp"

#include "call.hpp"
#include "promotion.hpp"

namespace kbsim {
namespace {

using oplog::BinaryOp;
using oplog::OpKind;
using oplog::TernaryOp;
using oplog::UnaryOp;

// The PE of the tiles among some operands. Checks that none is empty and that all are on one PE.
template <class... Operands>
PeBackend& owner(const Call& call, const Operands&... operands) {
  const Tile* first = nullptr;
  const auto check = [&](const Operand& operand) {
    if (!operand.tile) return;
    if (!first) first = operand.tile;
    call.require_together(*first, *operand.tile);
  };
  (check(operands), ...);
  if (!first) throw call.fault("needs a tile among its operands");
  return first->state()->owner();
}

// An operand in a dtype: a number becomes part of the command.
Tile as(const Call& call, PeBackend& pe, const Operand& x, DType dtype) {
  return x.tile ? call.as(*x.tile, dtype) : call.constant(pe, x.number, dtype);
}

Shape shape_of(const Operand& x) { return x.tile ? x.tile->shape() : Shape{}; }

// The dtype that a binary command computes in.
DType computed_in(const Call& call, BinaryOp op, const Operand& a, const Operand& b) {
  const bool divides = op == BinaryOp::div || op == BinaryOp::mod;
  const DType dtype = promoted(call, a, b, divides ? Promotion::division : Promotion::plain);
  if (op == BinaryOp::div && !info(dtype).floating) return f32;
  const bool extreme = op == BinaryOp::maximum || op == BinaryOp::minimum;
  return extreme && dtype == bf16 ? f32 : dtype;
}

void require_applies(const Call& call, auto op, DType dtype) {
  if (oplog::applies(op, dtype)) return;
  throw call.fault("isn't there for {}; cast it with .to(...)", to_string(dtype));
}

Tile computed(const Call& call, BinaryOp op, const Operand& a, const Operand& b, DType dtype, Nan nan) {
  PeBackend& pe = owner(call, a, b);
  require_applies(call, op, dtype);
  const Shape shape = call.broadcast(shape_of(a), shape_of(b));
  const Tile x = as(call, pe, a, dtype);
  const Tile y = as(call, pe, b, dtype);
  return call.made(pe, {.kind = OpKind::binary,
                        .params = {.binary = op, .nan = nan},
                        .inputs = {x.state(), y.state(), nullptr},
                        .shape = shape,
                        .dtype = oplog::is_comparison(op) ? DType::boolean : dtype,
                        .at = call.at});
}

Tile computed(const Call& call, TernaryOp op, const std::array<Operand, 3>& operands, DType dtype, Nan nan) {
  PeBackend& pe = owner(call, operands[0], operands[1], operands[2]);
  const auto& [a, b, c] = operands;
  const Shape shape = call.broadcast(call.broadcast(shape_of(a), shape_of(b)), shape_of(c));
  const Tile x = as(call, pe, a, op == TernaryOp::where ? DType::boolean : dtype);
  const Tile y = as(call, pe, b, dtype);
  const Tile z = as(call, pe, c, dtype);
  return call.made(pe, {.kind = OpKind::ternary,
                        .params = {.ternary = op, .nan = nan},
                        .inputs = {x.state(), y.state(), z.state()},
                        .shape = shape,
                        .dtype = dtype,
                        .at = call.at});
}

Tile floating_of_three(const Call& call, TernaryOp op, const std::array<Operand, 3>& operands, Nan nan) {
  const auto& [a, b, c] = operands;
  (void)owner(call, a, b, c);
  const DType dtype = promoted(call, a, b, c);
  require_applies(call, op, dtype);
  return computed(call, op, operands, op == TernaryOp::clamp && dtype == bf16 ? f32 : dtype, nan);
}

}  // namespace

Tile binary(const Call& call, BinaryOp op, const Operand& a, const Operand& b, Nan nan) {
  (void)owner(call, a, b);
  return computed(call, op, a, b, computed_in(call, op, a, b), nan);
}

Tile unary(const Call& call, UnaryOp op, const Tile& x) {
  call.require_tile(x);
  if (row_of(op).of == oplog::Elements::floats) call.require_floating(x);
  require_applies(call, op, x.dtype());
  return call.made(x.state()->owner(), {.kind = OpKind::unary,
                                        .params = {.unary = op},
                                        .inputs = {x.state(), nullptr, nullptr},
                                        .shape = x.shape(),
                                        .dtype = x.dtype(),
                                        .at = call.at});
}

Tile binary(BinaryOp op, const Operand& a, const Operand& b) {
  return binary({to_string(op), a.at}, op, a, b);
}

Tile unary(UnaryOp op, const Operand& x) { return unary({to_string(op), x.at}, op, *x.tile); }

Tile TL::floordiv(Operand a, Operand b, Here at) {
  const Call call{"floordiv", at, &pe_};
  (void)owner(call, a, b);
  const DType dtype = promoted(call, a, b, Promotion::division);
  if (info(dtype).floating) throw call.fault("divides integers, got {}", to_string(dtype));
  return computed(call, BinaryOp::div, a, b, dtype, Nan::ignore);
}

Tile TL::where(const Tile& condition, Operand x, Operand y, Here at) {
  const Call call{"where", at, &pe_};
  (void)owner(call, condition, x, y);
  if (condition.dtype() != DType::boolean) {
    throw call.fault("the condition must be bool, got {} {}; compare it with 0", to_string(condition.dtype()),
                     to_string(condition.shape()));
  }
  return computed(call, TernaryOp::where, {condition, x, y}, promoted(call, x, y), Nan::ignore);
}

Tile TL::fma(Operand a, Operand b, Operand c, Here at) {
  return floating_of_three({"fma", at, &pe_}, TernaryOp::fma, {a, b, c}, Nan::ignore);
}

Tile TL::clamp(const Tile& x, Operand low, Operand high, NanArgs args, Here at) {
  return floating_of_three({"clamp", at, &pe_}, TernaryOp::clamp, {x, low, high}, args.nan);
}

}  // namespace kbsim
