#include "call.hpp"

#include <cmath>
#include <limits>

#include "kbsim/oplog/rules.hpp"

namespace kbsim {
namespace {

// The greatest integer of a dtype.
std::int64_t greatest(DType dtype) {
  if (dtype == DType::boolean) return 1;
  const int bits = 8 * itemsize(dtype) - (info(dtype).is_signed ? 1 : 0);
  return bits == 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
}

// The greatest finite number of a float dtype.
double greatest_finite(DType dtype) {
  switch (dtype) {
    case DType::f16: return 65504.0;
    case DType::bf16: return 0x1.fep127;
    case DType::f32: return std::numeric_limits<float>::max();
    case DType::f8e4m3: return 448.0;
    case DType::f8e5m2: return 57344.0;
    default: return std::numeric_limits<double>::max();
  }
}

std::int64_t extent(const Shape& shape, int rank, int axis) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

}  // namespace

bool holds(DType dtype, double number) {
  if (info(dtype).floating) {
    if (std::isinf(number)) return dtype != DType::f8e4m3;
    return std::isnan(number) || std::abs(number) <= greatest_finite(dtype);
  }
  const double beyond = static_cast<double>(greatest(dtype)) + 1.0;
  return std::floor(number) == number && number < beyond && number >= (info(dtype).is_signed ? -beyond : 0.0);
}

void Call::require_tile(const Tile& tile) const {
  if (tile.empty()) throw fault("the tile is empty (never assigned, or moved from)");
  if (pe && &tile.state()->owner() != pe) {
    throw fault("the tile of {} lives on another PE, or was left by another kernel; send it, or store it",
                to_string(tile.shape()));
  }
}

void Call::require_shape(const Shape& shape) const {
  for (const std::int64_t extent : shape.extents()) {
    if (extent <= 0) throw fault("every extent must be positive, got {}", to_string(shape));
  }
  if (!shape.count()) throw fault("{} has more elements than any memory", to_string(shape));
}

void Call::require_holdable(const Shape& shape, DType dtype) const {
  require_shape(shape);
  if (shape.bytes(dtype) <= kLargestTile) return;
  throw fault("a tile of {} {} takes {}, and no TCM has more than {}; cut it into smaller ones",
              to_string(dtype), to_string(shape), to_string(shape.bytes(dtype)), to_string(kLargestTile));
}

void Call::require_loadable(Ptr from, const Shape& shape, DType dtype) const {
  require_holdable(shape, dtype);
  if (dtype == from.dtype) return;
  throw fault("a tile of {} from memory of {}; load it as {}, then .to({})", to_string(dtype),
              to_string(from.dtype), to_string(from.dtype), to_string(dtype));
}

void Call::require_storable(Ptr to, const Tile& tile) const {
  require_tile(tile);
  if (tile.dtype() == to.dtype) return;
  throw fault("a tile of {} into memory of {}; convert it with .to({})", to_string(tile.dtype()),
              to_string(to.dtype), to_string(to.dtype));
}

Tile Call::made(PeBackend& on, const EngineCommand& command) const {
  require_holdable(command.shape, command.dtype);
  return Tile{on.execute(command)};
}

void Call::require_together(const Tile& a, const Tile& b) const {
  require_tile(a);
  require_tile(b);
  if (&a.state()->owner() != &b.state()->owner()) {
    throw fault("the tiles live on different PEs; send one to the other");
  }
}

void Call::require_floating(const Tile& tile) const {
  require_tile(tile);
  if (info(tile.dtype()).floating) return;
  throw fault("needs a float dtype, got {} {}; convert it with .to(f32)", to_string(tile.dtype()),
              to_string(tile.shape()));
}

int Call::axis(const Tile& tile, int axis) const {
  const int rank = tile.shape().rank();
  if (-rank <= axis && axis < rank) return axis < 0 ? axis + rank : axis;
  throw fault("axis {} is none of {}", axis, to_string(tile.shape()));
}

Shape Call::broadcast(const Shape& a, const Shape& b) const {
  if (const auto shape = oplog::broadcast(a, b)) return *shape;
  const int rank = std::max(a.rank(), b.rank());
  int axis = 0;
  const auto fits = [&] {
    const std::int64_t x = extent(a, rank, axis);
    const std::int64_t y = extent(b, rank, axis);
    return x == y || x == 1 || y == 1;
  };
  while (fits()) ++axis;
  throw fault("shapes {} and {} don't broadcast: {} and {} at axis {}", to_string(a), to_string(b),
              extent(a, rank, axis), extent(b, rank, axis), axis);
}

Tile Call::as(const Tile& tile, DType dtype) const {
  return tile.dtype() == dtype ? tile : tile.to(dtype, at);
}

void Call::require_in_range(const Number& number, DType dtype) const {
  if (info(dtype).floating || number.kind() == Number::Kind::floating) return;
  const std::int64_t value = number.integer();
  const std::int64_t most = greatest(dtype);
  if (value < 0 && !info(dtype).is_signed) {
    throw fault("a negative number, {}, with unsigned {}; cast one of them", value, to_string(dtype));
  }
  if (value > most || value < -most - 1) throw fault("{} is out of range of {}", value, to_string(dtype));
  if (std::abs(static_cast<double>(value)) > 0x1p53) throw fault("{} has more than 53 bits", value);
}

Tile Call::constant(PeBackend& on, const Number& number, DType dtype) const {
  require_in_range(number, dtype);
  return made(on, {.kind = oplog::OpKind::fill,
                   .params = {.scalar = number.value()},
                   .shape = {},
                   .dtype = dtype,
                   .at = at});
}

}  // namespace kbsim
