#include "kbsim/hw/memory/memory_atomic.hpp"

#include <utility>

#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {
namespace {

using oplog::OpKind;

// An operation on all elements of a part.
oplog::Op operation(oplog::ValueId id, OpKind kind, DType dtype, const Shape& shape) {
  return {.id = id, .kind = kind, .dtype = dtype, .shape = shape};
}

}  // namespace

std::vector<oplog::Op> operations(const Atomic& atomic, const AtomicPart& part, const oplog::Slices& held) {
  const std::int64_t size = part.memory.bytes.count();
  const Shape shape{size / itemsize(atomic.dtype)};
  const auto operand = [&](const oplog::Slices& slices) {
    return oplog::Operand{
        .slices = oplog::subrange(slices, part.offset, size), .shape = shape, .dtype = atomic.dtype};
  };
  const oplog::Operand memory{.slices = held, .shape = shape, .dtype = atomic.dtype};
  std::vector<oplog::Op> all;
  if (atomic.op == AtomicOp::exchange) {
    all.push_back(operation(part.result, OpKind::copy, atomic.dtype, shape));
    all.back().inputs = {operand(atomic.operand)};
  } else if (!atomic.compares()) {
    all.push_back(operation(part.result, OpKind::binary, atomic.dtype, shape));
    all.back().params.binary = binary_of(atomic.op);
    all.back().inputs = {memory, operand(atomic.operand)};
  } else {
    all.push_back(operation(part.equal, OpKind::binary, DType::boolean, shape));
    all.back().params.binary = oplog::BinaryOp::eq;
    all.back().inputs = {memory, operand(atomic.expected)};
    const oplog::Operand equal{
        .slices = {{part.equal, 0, shape.elements()}}, .shape = shape, .dtype = DType::boolean};
    all.push_back(operation(part.result, OpKind::ternary, atomic.dtype, shape));
    all.back().params.ternary = oplog::TernaryOp::where;
    all.back().inputs = {equal, operand(atomic.operand), memory};
  }
  return all;
}

}  // namespace kbsim::hw
