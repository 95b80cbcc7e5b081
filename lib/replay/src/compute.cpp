#include "compute.hpp"

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

Buffer filled(const Op& op) {
  Buffer out = blank(op);
  dispatch(op.dtype,
           [&]<class T>(TypeTag<T>) { array<T>(std::span{out}).setConstant(convert<T>(op.scalar)); });
  return out;
}

Buffer casted(const Op& op, const Lookup& lookup) {
  Buffer out = blank(op);
  const Aligned from = view(op.inputs[0], lookup);
  cast(from.bytes(), op.inputs[0].dtype, out, op.dtype);
  return out;
}

Buffer combined(const Op& op, const Lookup& lookup) {
  const Aligned a = view(op.inputs[0], lookup);
  const Aligned b = view(op.inputs[1], lookup);
  return binary(op.binary, a.bytes(), b.bytes(), op.dtype);
}

Value copied(const Op& op, const Lookup& lookup, Ledger& ledger) {
  Value shared = whole(op.inputs[0], lookup);
  return shared ? shared : ledger.adopt(gather(op.inputs[0], lookup));
}

}  // namespace

Value compute(const Op& op, const Lookup& lookup, Ledger& ledger) {
  switch (op.kind) {
    case OpKind::literal: return op.data;
    case OpKind::fill: return ledger.adopt(filled(op));
    case OpKind::copy: return copied(op, lookup, ledger);
    case OpKind::cast: return ledger.adopt(casted(op, lookup));
    case OpKind::binary: return ledger.adopt(combined(op, lookup));
  }
  throw InternalError{"an operation beyond the table"};
}

}  // namespace kbsim::replay
