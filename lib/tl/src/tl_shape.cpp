// Makes tiles, and gives them other shapes.
#include <algorithm>
#include <array>
#include <limits>

#include "kbsim/oplog/rules.hpp"
#include "kbsim/tl/tl.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

using oplog::OpKind;

Tile view(const Call& call, const Tile& x, Shape shape, DType dtype) {
  x.state()->owner().count(call.at);
  return Tile{x.state()->owner().view(x.state(), shape, dtype)};
}

Tile moved(const Call& call, OpKind kind, const Tile& x, Shape shape, const oplog::Parameters& params = {}) {
  return call.made(x.state()->owner(), {.kind = kind,
                                        .params = params,
                                        .inputs = {x.state(), nullptr, nullptr},
                                        .shape = shape,
                                        .dtype = x.dtype(),
                                        .at = call.at});
}

Tile permuted(const Call& call, const Tile& x, Shape axes) {
  oplog::Parameters params;
  for (int i = 0; i < axes.rank(); ++i) {
    const bool known = -axes.rank() <= axes[i] && axes[i] < axes.rank();
    const std::int64_t axis = axes[i] < 0 ? axes[i] + axes.rank() : axes[i];
    params.axes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(known ? axis : -1);
  }
  const auto shape = axes.rank() == x.shape().rank() ? oplog::permuted(x.shape(), params.axes) : std::nullopt;
  if (!shape) throw call.fault("{} is no order of the axes of {}", to_string(axes), to_string(x.shape()));
  return moved(call, OpKind::permute, x, *shape, params);
}

}  // namespace

Tile TL::full(Shape shape, Number value, DType dtype, Here at) {
  const Call call{"full", at, &pe_};
  call.require_shape(shape);
  call.require_in_range(value, dtype);
  return call.made(
      pe_,
      {.kind = OpKind::fill, .params = {.scalar = value.value()}, .shape = shape, .dtype = dtype, .at = at});
}

Tile TL::zeros(Shape shape, DType dtype, Here at) {
  const Call call{"zeros", at, &pe_};
  call.require_holdable(shape, dtype);
  return full(shape, 0, dtype, at);
}

Tile TL::arange(std::int64_t begin, std::int64_t end, Here at) {
  const Call call{"arange", at, &pe_};
  if (begin >= end) throw call.fault("the end must be beyond the beginning, got {} and {}", begin, end);
  using Limits = std::numeric_limits<std::int32_t>;
  if (begin < Limits::min() || end - 1 > Limits::max()) {
    throw call.fault("its numbers must be i32, got {} and {}", begin, end);
  }
  return call.made(pe_, {.kind = OpKind::arange,
                         .params = {.scalar = static_cast<double>(begin)},
                         .shape = {end - begin},
                         .dtype = i32,
                         .at = at});
}

Tile TL::reshape(const Tile& x, Shape shape, Here at) {
  const Call call{"reshape", at, &pe_};
  call.require_tile(x);
  call.require_shape(shape);
  if (x.shape().elements() == shape.elements()) return view(call, x, shape, x.dtype());
  throw call.fault("{} has {} elements, {} has {}", to_string(x.shape()), x.shape().elements(),
                   to_string(shape), shape.elements());
}

Tile TL::unsqueeze(const Tile& x, Axis axis, Here at) {
  const Call call{"unsqueeze", at, &pe_};
  call.require_tile(x);
  const int rank = x.shape().rank();
  const int place = axis.value() < 0 ? axis.value() + rank + 1 : axis.value();
  if (place < 0 || place > rank) {
    throw call.fault("{} has no place for an axis {}", to_string(x.shape()), axis.value());
  }
  if (rank == Shape::kMaxRank) throw call.fault("{} has {} axes, no more fit", to_string(x.shape()), rank);
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  extents[static_cast<std::size_t>(place)] = 1;
  for (int i = 0; i < rank; ++i) extents[static_cast<std::size_t>(i < place ? i : i + 1)] = x.shape()[i];
  return view(call, x, Shape::of(std::span{extents}.first(static_cast<std::size_t>(rank) + 1)), x.dtype());
}

Tile TL::trans(const Tile& x, Here at) {
  const Call call{"trans", at, &pe_};
  call.require_tile(x);
  const int rank = x.shape().rank();
  if (rank < 2) throw call.fault("needs two axes or more, got {}", to_string(x.shape()));
  std::array<std::int64_t, Shape::kMaxRank> axes{0, 1, 2, 3, 4};
  std::swap(axes[static_cast<std::size_t>(rank) - 2], axes[static_cast<std::size_t>(rank) - 1]);
  return permuted(call, x, Shape::of(std::span{axes}.first(static_cast<std::size_t>(rank))));
}

Tile TL::permute(const Tile& x, Shape axes, Here at) {
  const Call call{"permute", at, &pe_};
  call.require_tile(x);
  return permuted(call, x, axes);
}

Tile TL::broadcast_to(const Tile& x, Shape shape, Here at) {
  const Call call{"broadcast_to", at, &pe_};
  call.require_tile(x);
  call.require_shape(shape);
  if (x.shape().rank() != shape.rank() || oplog::broadcast(x.shape(), shape) != shape) {
    throw call.fault("{} doesn't broadcast to {}", to_string(x.shape()), to_string(shape));
  }
  return x.shape() == shape ? x : moved(call, OpKind::broadcast, x, shape);
}

Tile TL::cat(const Tile& a, const Tile& b, AxisArgs args, Here at) {
  const Call call{"cat", at, &pe_};
  call.require_together(a, b);
  const int axis = call.axis(a, args.axis.value());
  if (a.dtype() != b.dtype()) {
    throw call.fault("dtypes differ: {} and {}", to_string(a.dtype()), to_string(b.dtype()));
  }
  if (a.shape().rank() != b.shape().rank() ||
      oplog::with_extent(b.shape(), axis, a.shape()[axis]) != a.shape()) {
    throw call.fault("{} and {} don't join at axis {}", to_string(a.shape()), to_string(b.shape()), axis);
  }
  return call.made(pe_, {.kind = OpKind::concat,
                         .params = {.axis = static_cast<std::int8_t>(axis)},
                         .inputs = {a.state(), b.state(), nullptr},
                         .shape = oplog::with_extent(a.shape(), axis, a.shape()[axis] + b.shape()[axis]),
                         .dtype = a.dtype(),
                         .at = at});
}

Tile TL::slice(const Tile& x, SliceArgs args, Here at) {
  const Call call{"slice", at, &pe_};
  call.require_tile(x);
  const int axis = call.axis(x, args.axis.value());
  const std::int64_t extent = x.shape()[axis];
  const std::int64_t end = args.end.value_or(extent);
  if (args.begin < 0 || end > extent || args.begin >= end) {
    throw call.fault("from {} to {} along axis {} of {}: wants 0 <= begin < end <= {}", args.begin, end, axis,
                     to_string(x.shape()), extent);
  }
  if (end - args.begin == extent) return x;
  return moved(call, OpKind::slice, x, oplog::with_extent(x.shape(), axis, end - args.begin),
               {.axis = static_cast<std::int8_t>(axis), .scalar = static_cast<double>(args.begin)});
}

Tile Tile::to(DType dtype, Here at) const { return to(dtype, Round::rtne, at); }

Tile Tile::to(DType dtype, Round round, Here at) const {
  const Call call{"to", at};
  call.require_tile(*this);
  if (round == Round::rtz && !oplog::makes_narrower(this->dtype(), dtype)) {
    throw call.fault("rounds toward zero only from a float into a narrower one, got {} into {}",
                     to_string(this->dtype()), to_string(dtype));
  }
  return call.made(state_->owner(), {.kind = OpKind::cast,
                                     .params = {.round = round},
                                     .inputs = {state_, nullptr, nullptr},
                                     .shape = shape(),
                                     .dtype = dtype,
                                     .at = at});
}

Tile Tile::bitcast(DType dtype, Here at) const {
  const Call call{"bitcast", at};
  call.require_tile(*this);
  if (itemsize(dtype) == itemsize(this->dtype())) return view(call, *this, shape(), dtype);
  throw call.fault("{} and {} have different sizes", to_string(this->dtype()), to_string(dtype));
}

}  // namespace kbsim
