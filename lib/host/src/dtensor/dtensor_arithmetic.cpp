// Operators on two DTensors, or a DTensor and a number, element by element.
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/dtensor/dtensor_operators.hpp"

#include "../row_broadcast.hpp"
#include "../tensor_promotion.hpp"
#include "local_results.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = DTensor::Here;

struct BinaryOperator {
  std::string_view name;
  Linearity kind;
  PendingTensor (*local)(const Operand&, const Operand&, OperatorOptions);
  bool for_bools = true;
};
constexpr BinaryOperator kAdd{"add", Linearity::sum, host::add};
constexpr BinaryOperator kSub{"sub", Linearity::sum, host::sub, false};
constexpr BinaryOperator kMul{"mul", Linearity::product, host::mul};
constexpr BinaryOperator kDiv{"div", Linearity::quotient, host::div};

DType result_of(const BinaryOperator& op, DType promoted) {
  return op.kind == Linearity::quotient && !is_floating(promoted) ? f32 : promoted;
}

Shape broadcast_shape(const DTensor& a, const DTensor& b, std::string_view call, Here at) {
  const std::optional<Shape> shape = broadcast(a.shape(), b.shape());
  require(shape.has_value(), call, at,
          fmt::format("shapes {} and {}: they must be equal, or one a row [N] for all rows of the other",
                      to_string(a.shape()), to_string(b.shape())));
  return *shape;
}

void require_numbers(const BinaryOperator& op, DType dtype, Here at) {
  require(op.for_bools || dtype != DType::boolean, op.name, at, "got bool, expected numbers; cast it");
}

Task<DTensor> of_two(BinaryOperator op, DTensor a, DTensor b, Here at) {
  require_one_mesh(a, b, op.name, at);
  require_computable(a, op.name, at);
  require_computable(b, op.name, at);
  const Shape shape = broadcast_shape(a, b, op.name, at);
  const DType dtype = result_of(op, promoted(a.dtype(), b.dtype()));
  require_numbers(op, dtype, at);
  const ShardingRule rule = pointwise_rule(placed(a), placed(b), dtype, op.kind);
  const DTensor left = co_await a.redistribute(rule.operands[0], at);
  const DTensor right = co_await b.redistribute(rule.operands[1], at);
  const DTensor& wide = left.shape() == shape ? left : right;
  const LocalResult result{.like = wide, .shape = shape, .dtype = dtype, .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor local = co_await op.local({left.local(at), at}, {right.local(at), at}, {});
  co_return result.of(local);
}

// A multiple of a Partial sum is one; a sum with a number isn't, and neither is a quotient by the sum.
Task<DTensor> with_number(BinaryOperator op, DTensor x, Scalar number, bool number_first, Here at) {
  require_computable(x, op.name, at);
  const DType dtype = result_of(op, promoted(x.dtype(), number));
  require_numbers(op, dtype, at);
  const bool linear = op.kind == Linearity::product || (op.kind == Linearity::quotient && !number_first);
  const ShardingRule rule = with_number_rule(placed(x), dtype, linear);
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const LocalResult result{.like = from, .shape = x.shape(), .dtype = dtype, .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Operand tensor{from.local(at), at};
  const Operand scalar =
      number.integer ? Operand{static_cast<std::int64_t>(number.value), at} : Operand{number.value, at};
  const Tensor local = co_await op.local(number_first ? scalar : tensor, number_first ? tensor : scalar, {});
  co_return result.of(local);
}

Task<DTensor> binary(const BinaryOperator& op, DTensorOperand a, DTensorOperand b) {
  const Here at = a.at;
  require(a.tensor() != nullptr || b.tensor() != nullptr, op.name, at, "of two numbers");
  if (b.tensor() == nullptr) return with_number(op, *a.tensor(), b.scalar(), false, at);
  if (a.tensor() == nullptr) return with_number(op, *b.tensor(), a.scalar(), true, at);
  return of_two(op, *a.tensor(), *b.tensor(), at);
}

}  // namespace

Task<DTensor> add(DTensorOperand a, DTensorOperand b) { return binary(kAdd, std::move(a), std::move(b)); }
Task<DTensor> sub(DTensorOperand a, DTensorOperand b) { return binary(kSub, std::move(a), std::move(b)); }
Task<DTensor> mul(DTensorOperand a, DTensorOperand b) { return binary(kMul, std::move(a), std::move(b)); }
Task<DTensor> div(DTensorOperand a, DTensorOperand b) { return binary(kDiv, std::move(a), std::move(b)); }

}  // namespace kbsim::host::dtensor
