// Reductions, scans and products.
#include "kbsim/oplog/rules.hpp"
#include "kbsim/tl/tl.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

using oplog::OpKind;
using oplog::ReduceOp;

// Result dtype of sums and products: i32 for narrow integers.
DType summed_in(DType dtype) { return !info(dtype).floating && itemsize(dtype) < 4 ? i32 : dtype; }

// Result dtype of extremes: 32 bits or more.
DType extreme_in(DType dtype) {
  if (itemsize(dtype) >= 4) return dtype;
  return info(dtype).floating ? f32 : i32;
}

DType result_of(ReduceOp op, DType dtype) {
  if (oplog::gives_index(op)) return i32;
  return op == ReduceOp::sum || op == ReduceOp::prod ? summed_in(dtype) : extreme_in(dtype);
}

Tile reduced(const Call& call, const Tile& x, ReduceOp op, const ExtremeArgs& args) {
  call.require_tile(x);
  const int axis = call.axis(x, args.axis.value());
  return call.made(x.state()->owner(),
                   {.kind = OpKind::reduce,
                    .params = {.reduce = op, .nan = args.nan, .axis = static_cast<std::int8_t>(axis)},
                    .inputs = {x.state(), nullptr, nullptr},
                    .shape = oplog::reduced(x.shape(), axis, args.keep_dims),
                    .dtype = result_of(op, x.dtype()),
                    .at = call.at});
}

ExtremeArgs extreme(const ReduceArgs& args) { return {.axis = args.axis, .keep_dims = args.keep_dims}; }

// A command along an axis that keeps the shape.
Tile along(const Call& call, OpKind kind, const Tile& x, Axis along, DType dtype) {
  call.require_tile(x);
  const int axis = call.axis(x, along.value());
  return call.made(x.state()->owner(), {.kind = kind,
                                        .params = {.axis = static_cast<std::int8_t>(axis)},
                                        .inputs = {x.state(), nullptr, nullptr},
                                        .shape = x.shape(),
                                        .dtype = dtype,
                                        .at = call.at});
}

Tile accumulated(const Call& call, OpKind kind, const Tile& x, const ScanArgs& args) {
  call.require_tile(x);
  return along(call, kind, x, args.axis, x.dtype() == bf16 ? f32 : summed_in(x.dtype()));
}

Tile largest(const Call& call, const Tile& x, Shape shape, bool indices) {
  return call.made(x.state()->owner(), {.kind = OpKind::topk,
                                        .params = {.indices = indices},
                                        .inputs = {x.state(), nullptr, nullptr},
                                        .shape = shape,
                                        .dtype = indices ? i32 : x.dtype(),
                                        .at = call.at});
}

struct Product {
  Shape shape;
  DType dtype;
};

// Which extents of [.., m, k] and [.., k, n] differ.
std::string misfit(const Shape& a, const Shape& b) {
  const int rank = a.rank();
  if (rank != b.rank()) return fmt::format("{} and {} axes", rank, b.rank());
  if (rank < 2) return "a product needs two axes or more";
  for (int axis = 0; axis < rank - 2; ++axis) {
    if (a[axis] != b[axis]) return fmt::format("axis {} is {} and {}", axis, a[axis], b[axis]);
  }
  return fmt::format("k is {} and {}", a[rank - 1], b[rank - 2]);
}

Product product_of(const Call& call, const Tile& a, const Tile& b) {
  call.require_together(a, b);
  if (a.dtype() != b.dtype()) {
    throw call.fault("both operands must have one dtype, got {} {} and {} {}", to_string(a.dtype()),
                     to_string(a.shape()), to_string(b.dtype()), to_string(b.shape()));
  }
  const auto dtype = oplog::accumulator(a.dtype());
  if (!dtype) throw call.fault("isn't there for {}; cast it with .to(...)", to_string(a.dtype()));
  const auto shape = oplog::product(a.shape(), b.shape());
  if (shape) return {*shape, *dtype};
  throw call.fault("{} times {}: wants [.., m, k] and [.., k, n] of equal ranks, but {}",
                   to_string(a.shape()), to_string(b.shape()), misfit(a.shape(), b.shape()));
}

Tile multiplied(const Call& call, const Tile& a, const Tile& b, const TilePtr& sum, const Product& product) {
  return call.made(a.state()->owner(), {.kind = OpKind::dot,
                                        .inputs = {a.state(), b.state(), sum},
                                        .shape = product.shape,
                                        .dtype = product.dtype,
                                        .at = call.at});
}

}  // namespace

Tile TL::sum(const Tile& x, ReduceArgs args, Here at) {
  return reduced({"sum", at, &pe_}, x, ReduceOp::sum, extreme(args));
}
Tile TL::prod(const Tile& x, ReduceArgs args, Here at) {
  return reduced({"prod", at, &pe_}, x, ReduceOp::prod, extreme(args));
}
Tile TL::max(const Tile& x, ExtremeArgs args, Here at) {
  return reduced({"max", at, &pe_}, x, ReduceOp::max, args);
}
Tile TL::min(const Tile& x, ExtremeArgs args, Here at) {
  return reduced({"min", at, &pe_}, x, ReduceOp::min, args);
}
Tile TL::argmax(const Tile& x, ExtremeArgs args, Here at) {
  return reduced({"argmax", at, &pe_}, x, ReduceOp::argmax, args);
}
Tile TL::argmin(const Tile& x, ExtremeArgs args, Here at) {
  return reduced({"argmin", at, &pe_}, x, ReduceOp::argmin, args);
}

Tile TL::cumsum(const Tile& x, ScanArgs args, Here at) {
  const OpKind kind = args.reverse ? OpKind::cumsum_reverse : OpKind::cumsum;
  return accumulated({"cumsum", at, &pe_}, kind, x, args);
}
Tile TL::cumprod(const Tile& x, ScanArgs args, Here at) {
  const OpKind kind = args.reverse ? OpKind::cumprod_reverse : OpKind::cumprod;
  return accumulated({"cumprod", at, &pe_}, kind, x, args);
}

Tile TL::softmax(const Tile& x, AxisArgs args, Here at) {
  const Call call{"softmax", at, &pe_};
  call.require_floating(x);
  return along(call, OpKind::softmax, x, args.axis, x.dtype());
}

TopK TL::topk(const Tile& x, std::int64_t k, Here at) {
  const Call call{"topk", at, &pe_};
  call.require_tile(x);
  const int last = call.axis(x, -1);
  if (k < 1 || k > x.shape()[last]) {
    throw call.fault("{} of the last axis of {}: must be from 1 to {}", k, to_string(x.shape()),
                     x.shape()[last]);
  }
  const Shape shape = oplog::with_extent(x.shape(), last, k);
  return {.values = largest(call, x, shape, false), .indices = largest(call, x, shape, true)};
}

Tile TL::dot(const Tile& a, const Tile& b, Here at) {
  const Call call{"dot", at, &pe_};
  return multiplied(call, a, b, nullptr, product_of(call, a, b));
}

Tile TL::dot(const Tile& a, const Tile& b, const Tile& acc, Here at) {
  const Call call{"dot", at, &pe_};
  const Product product = product_of(call, a, b);
  call.require_together(a, acc);
  if (acc.shape() != product.shape || acc.dtype() != product.dtype) {
    throw call.fault("{} times {} is {} {}, the sum so far {} {}", to_string(a.shape()), to_string(b.shape()),
                     to_string(product.dtype), to_string(product.shape), to_string(acc.dtype()),
                     to_string(acc.shape()));
  }
  return multiplied(call, a, b, acc.state(), product);
}

}  // namespace kbsim
