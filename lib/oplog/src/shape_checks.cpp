#include "shape_checks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/oplog/rules.hpp"

namespace kbsim::oplog {
namespace {

std::string inputs_described(const Op& op) {
  std::string all;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (i > 0) all += i + 1 == op.inputs.size() ? " and " : ", ";
    all += described(op.inputs[i]);
  }
  return all;
}

std::string count_contradiction(const Op& op) {
  if (op.inputs[0].shape.elements() == op.shape.elements()) return {};
  return fmt::format("input {} has another count of elements", described(op.inputs[0]));
}

bool all_are(const Op& op, DType dtype) {
  return std::ranges::all_of(op.inputs, [&](const Operand& input) { return input.dtype == dtype; });
}

bool axis_fits(const Op& op) { return 0 <= op.params.axis && op.params.axis < op.inputs[0].shape.rank(); }

bool same_kind(DType a, DType b) { return b != DType::boolean && info(a).floating == info(b).floating; }

std::optional<Shape> broadcast_inputs(const Op& op) {
  std::optional<Shape> shape = op.inputs[0].shape;
  for (const Operand& input : op.inputs) {
    if (shape) shape = broadcast(*shape, input.shape);
  }
  return shape;
}

}  // namespace

std::string described(const Operand& input) {
  return fmt::format("{} {}", to_string(input.dtype), to_string(input.shape));
}

std::string misfit(const Op& op) {
  return fmt::format("input{} {} {} fit it", op.inputs.size() > 1 ? "s" : "", inputs_described(op),
                     op.inputs.size() > 1 ? "don't" : "doesn't");
}

std::string literal_contradiction(const Op& op) {
  const std::int64_t expected = op.shape.bytes(op.dtype).count();
  const std::int64_t actual = op.data ? op.data.size() : 0;
  if (op.data && actual == expected) return {};
  return fmt::format("needs {} bytes of data, has {}", expected, actual);
}

std::string copy_contradiction(const Op& op) {
  if (op.inputs[0].dtype == op.dtype) return count_contradiction(op);
  return fmt::format("input {} has another dtype", described(op.inputs[0]));
}

std::string cast_contradiction(const Op& op) {
  if (op.params.round == Round::rtne || makes_narrower(op.inputs[0].dtype, op.dtype))
    return count_contradiction(op);
  return fmt::format("rounds toward zero from {}, which isn't a wider float", described(op.inputs[0]));
}

bool unary_fits(const Op& op) {
  return all_are(op, op.dtype) && op.inputs[0].shape == op.shape && applies(op.params.unary, op.dtype);
}

bool binary_fits(const Op& op) {
  const DType dtype = op.inputs[0].dtype;
  const DType result = is_comparison(op.params.binary) ? DType::boolean : dtype;
  return all_are(op, dtype) && op.dtype == result && broadcast_inputs(op) == op.shape &&
         applies(op.params.binary, dtype);
}

bool ternary_fits(const Op& op) {
  const DType first = op.params.ternary == TernaryOp::where ? DType::boolean : op.dtype;
  return op.inputs[0].dtype == first && op.inputs[1].dtype == op.dtype && op.inputs[2].dtype == op.dtype &&
         broadcast_inputs(op) == op.shape && applies(op.params.ternary, op.dtype);
}

bool reduce_fits(const Op& op) {
  if (!axis_fits(op)) return false;
  const Operand& in = op.inputs[0];
  const bool shape = op.shape == reduced(in.shape, op.params.axis, true) ||
                     op.shape == reduced(in.shape, op.params.axis, false);
  return shape && (gives_index(op.params.reduce) ? op.dtype == i32 : same_kind(in.dtype, op.dtype));
}

bool scan_fits(const Op& op) {
  return axis_fits(op) && op.shape == op.inputs[0].shape && same_kind(op.inputs[0].dtype, op.dtype);
}

bool topk_fits(const Op& op) {
  const Shape& in = op.inputs[0].shape;
  const int last = in.rank() - 1;
  if (last < 0 || op.shape.rank() != in.rank()) return false;
  const std::int64_t k = op.shape[last];
  return 1 <= k && k <= in[last] && op.shape == with_extent(in, last, k) &&
         op.dtype == (op.params.indices ? i32 : op.inputs[0].dtype);
}

bool concat_fits(const Op& op) {
  if (!all_are(op, op.dtype) || !axis_fits(op)) return false;
  std::int64_t extent = 0;
  for (const Operand& input : op.inputs) {
    if (input.shape.rank() != op.shape.rank()) return false;
    extent += input.shape[op.params.axis];
    if (with_extent(input.shape, op.params.axis, op.shape[op.params.axis]) != op.shape) return false;
  }
  return extent == op.shape[op.params.axis];
}

bool dot_fits(const Op& op) {
  const DType dtype = op.inputs[0].dtype;
  const auto wide = accumulator(dtype);
  const bool added = op.inputs.size() < 3 || (op.inputs[2].dtype == wide && op.inputs[2].shape == op.shape);
  return wide && added && op.inputs[1].dtype == dtype && info(op.dtype).floating == info(*wide).floating &&
         (info(op.dtype).floating || op.dtype == wide) &&
         oplog::product(op.inputs[0].shape, op.inputs[1].shape) == op.shape;
}

bool permute_fits(const Op& op) {
  return all_are(op, op.dtype) && permuted(op.inputs[0].shape, op.params.axes) == op.shape;
}

bool broadcast_fits(const Op& op) {
  return all_are(op, op.dtype) && broadcast(op.inputs[0].shape, op.shape) == op.shape;
}

bool softmax_fits(const Op& op) {
  return all_are(op, op.dtype) && info(op.dtype).floating && axis_fits(op) && op.inputs[0].shape == op.shape;
}

bool slice_fits(const Op& op) {
  const Shape& in = op.inputs[0].shape;
  if (!all_are(op, op.dtype) || !axis_fits(op) || op.shape.rank() != in.rank()) return false;
  const int axis = op.params.axis;
  const double begin = op.params.scalar;
  return with_extent(in, axis, op.shape[axis]) == op.shape && std::floor(begin) == begin && begin >= 0.0 &&
         begin <= static_cast<double>(in[axis] - op.shape[axis]);
}

}  // namespace kbsim::oplog
