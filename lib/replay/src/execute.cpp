#include "kbsim/replay/execute.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "arrays.hpp"
#include "binary.hpp"
#include "cast.hpp"
#include "convert.hpp"

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

Buffer casted(const Op& op, std::span<const std::byte> from) {
  Buffer out = blank(op);
  cast(from, op.inputs[0].dtype, out, op.dtype);
  return out;
}

Buffer combined(const Op& op, Inputs inputs) {
  const bool narrow = op.inputs[0].shape == op.shape && op.inputs[0].dtype == op.dtype &&
                      (op.inputs[1].shape == op.shape || op.inputs[1].shape.elements() == 1) &&
                      op.params.binary <= oplog::BinaryOp::minimum && op.params.nan == oplog::Nan::ignore;
  if (narrow) return binary(op.params.binary, inputs[0], inputs[1], op.dtype);
  throw Unsupported{"replay doesn't broadcast or compare yet"};
}

}  // namespace

Buffer execute(const Op& op, Inputs inputs) {
  switch (op.kind) {
    case OpKind::literal: return *op.data;
    case OpKind::fill: return filled(op);
    case OpKind::copy:
    case OpKind::print: return copied(inputs[0]);
    case OpKind::cast: return casted(op, inputs[0]);
    case OpKind::binary: return combined(op, inputs);
    default: throw Unsupported{fmt::format("replay can't execute {} yet", name_of(op.kind, op.params))};
  }
}

}  // namespace kbsim::replay
