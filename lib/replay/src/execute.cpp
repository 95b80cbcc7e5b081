#include "kbsim/replay/execute.hpp"

#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "arrays.hpp"
#include "cast.hpp"
#include "convert.hpp"
#include "operations.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::OpKind;

Buffer blank(const Op& op) { return Buffer(static_cast<std::size_t>(op.shape.bytes(op.dtype).count())); }

Buffer copied(std::span<const std::byte> from) { return {from.begin(), from.end()}; }

Buffer filled(const Op& op) {
  Buffer out = blank(op);
  dispatch(op.dtype,
           [&]<class T>(TypeTag<T>) { array<T>(std::span{out}).setConstant(convert<T>(op.params.scalar)); });
  return out;
}

Buffer counted(const Op& op) {
  std::vector<double> numbers(static_cast<std::size_t>(op.shape.elements()));
  std::iota(numbers.begin(), numbers.end(), op.params.scalar);
  return from_doubles(numbers, op.dtype);
}

Buffer casted(const Op& op, std::span<const std::byte> from) {
  Buffer out = blank(op);
  if (op.params.round == oplog::Round::rtz) {
    truncate(from, op.inputs[0].dtype, out, op.dtype);
  } else {
    cast(from, op.inputs[0].dtype, out, op.dtype);
  }
  return out;
}

using Function = void (*)(const Op&, Inputs, Output);

Function function_of(OpKind kind) {
  switch (kind) {
    case OpKind::unary: return unary;
    case OpKind::binary: return binary;
    case OpKind::ternary: return ternary;
    case OpKind::reduce: return reduce;
    case OpKind::cumsum: return cumsum;
    case OpKind::topk: return topk;
    case OpKind::permute: return permute;
    case OpKind::broadcast: return broadcast;
    case OpKind::concat: return concat;
    case OpKind::dot: return dot;
    case OpKind::softmax: return softmax;
    default: throw InternalError{fmt::format("no function of {}", to_string(kind))};
  }
}

Buffer computed(const Op& op, Inputs inputs) {
  Buffer out = blank(op);
  function_of(op.kind)(op, inputs, out);
  return out;
}

}  // namespace

Buffer execute(const Op& op, Inputs inputs) {
  switch (op.kind) {
    case OpKind::literal: return *op.data;
    case OpKind::fill: return filled(op);
    case OpKind::copy:
    case OpKind::print:
    case OpKind::check: return copied(inputs[0]);
    case OpKind::cast: return casted(op, inputs[0]);
    case OpKind::arange: return counted(op);
    default: return computed(op, inputs);
  }
}

}  // namespace kbsim::replay
