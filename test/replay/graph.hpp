#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kbsim/oplog/log.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// Builds an op log by hand, an operation a call; a value in it is the operand that reads the whole of it.
class Graph {
 public:
  oplog::OpLog log;

  oplog::Operand literal(const std::vector<double>& numbers, DType dtype) {
    return literal_bytes(from_doubles(numbers, dtype), dtype);
  }

  oplog::Operand literal_bytes(Buffer bytes, DType dtype) {
    const Shape shape{static_cast<std::int64_t>(bytes.size()) / itemsize(dtype)};
    return literal_contents(std::make_shared<const Buffer>(std::move(bytes)), shape, dtype);
  }

  oplog::Operand literal_contents(oplog::Contents contents, const Shape& shape, DType dtype) {
    oplog::Op op = blank(oplog::OpKind::literal, dtype);
    op.shape = shape;
    op.data = std::move(contents);
    return add(std::move(op));
  }

  oplog::Operand fill(double scalar, const Shape& shape, DType dtype) {
    oplog::Op op = blank(oplog::OpKind::fill, dtype);
    op.shape = shape;
    op.params.scalar = scalar;
    return add(std::move(op));
  }

  oplog::Operand copy(const oplog::Operand& from) { return unary(oplog::OpKind::copy, from, from.dtype); }
  oplog::Operand cast(const oplog::Operand& from, DType to) { return unary(oplog::OpKind::cast, from, to); }

  /// Any operation: recorded, so that its shapes and dtypes are checked.
  oplog::Operand record(oplog::OpKind kind, const oplog::Parameters& params, DType dtype, const Shape& shape,
                        std::vector<oplog::Operand> inputs) {
    oplog::Op op = blank(kind, dtype);
    op.params = params;
    op.shape = shape;
    op.inputs.assign(inputs.begin(), inputs.end());
    return add(std::move(op));
  }

  oplog::Operand literal_of(const std::vector<double>& numbers, const Shape& shape, DType dtype) {
    oplog::Operand all = literal(numbers, dtype);
    all.shape = shape;
    return all;
  }

  oplog::Operand binary(oplog::BinaryOp code, const oplog::Operand& a, const oplog::Operand& b) {
    oplog::Op op = blank(oplog::OpKind::binary, a.dtype);
    op.params.binary = code;
    op.shape = a.shape;
    op.inputs = {a, b};
    return add(std::move(op));
  }

 private:
  oplog::Op blank(oplog::OpKind kind, DType dtype) {
    if (log.lanes() == 0) log.add_lane("pe0");
    oplog::Op op;
    op.id = log.reserve(0);
    op.kind = kind;
    op.dtype = dtype;
    op.end = Time{op.id.seq};
    return op;
  }

  oplog::Operand unary(oplog::OpKind kind, const oplog::Operand& from, DType to) {
    oplog::Op op = blank(kind, to);
    op.shape = from.shape;
    op.inputs = {from};
    return add(std::move(op));
  }

  oplog::Operand add(oplog::Op op) {
    const oplog::Slice all{.value = op.id, .offset = 0, .bytes = op.shape.bytes(op.dtype).count()};
    const oplog::Operand whole{.slices = {all}, .shape = op.shape, .dtype = op.dtype};
    log.record(std::move(op));
    return whole;
  }
};

}  // namespace kbsim::replay
