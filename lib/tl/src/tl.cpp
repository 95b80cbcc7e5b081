#include "kbsim/tl/tl.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

KernelFault fault(const std::source_location& at, std::string_view text) {
  return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
}

void require_axis(int axis, std::string_view call, const std::source_location& at) {
  if (axis >= 0 && axis <= 2) return;
  throw fault(at, fmt::format("{}: axis must be 0 (PE in the cube), 1 (cube in the SIP) or 2 (SIP), got {}",
                              call, axis));
}

void require_shape(const Shape& shape, std::string_view call, const std::source_location& at) {
  for (const std::int64_t extent : shape.extents()) {
    if (extent <= 0)
      throw fault(at, fmt::format("{}: every extent must be positive, got {}", call, to_string(shape)));
  }
}

void require_tile(const Tile& tile, std::string_view call, const std::source_location& at) {
  if (!tile) throw fault(at, fmt::format("{}: the tile is empty (never assigned, or moved from)", call));
}

void require_same(const Tile& a, const Tile& b, std::string_view call, const std::source_location& at) {
  if (a.shape() != b.shape()) {
    throw fault(
        at, fmt::format("{}: shapes differ: {} and {}", call, to_string(a.shape()), to_string(b.shape())));
  }
  if (a.dtype() != b.dtype()) {
    throw fault(
        at, fmt::format("{}: dtypes differ: {} and {}", call, to_string(a.dtype()), to_string(b.dtype())));
  }
  if (&a.state()->owner() != &b.state()->owner()) {
    throw fault(at, fmt::format("{}: the tiles live on different PEs; send one to the other", call));
  }
}

}  // namespace

int TL::program_id(int axis, Here at) const {
  require_axis(axis, "program_id", at);
  return pe_.program_id(axis);
}

int TL::num_programs(int axis, Here at) const {
  require_axis(axis, "num_programs", at);
  return pe_.num_programs(axis);
}

Pending<Tile> TL::load(Ptr from, Shape shape, DType dtype, Here at) {
  require_shape(shape, "load", at);
  if (dtype != from.dtype) {
    throw fault(
        at, fmt::format("load: a tile of {} from memory of {}; load it as {}, then .to({})", to_string(dtype),
                        to_string(from.dtype), to_string(from.dtype), to_string(dtype)));
  }
  return Pending<Tile>{pe_.load(from, shape, dtype, at)};
}

Pending<void> TL::store(Ptr to, const Tile& tile, Here at) {
  require_tile(tile, "store", at);
  if (tile.dtype() != to.dtype) {
    throw fault(at, fmt::format("store: a tile of {} into memory of {}; convert it with .to({})",
                                to_string(tile.dtype()), to_string(to.dtype), to_string(to.dtype)));
  }
  return Pending<void>{pe_.store(to, tile.state(), at)};
}

Pending<void> TL::send(SendArgs args, Here at) {
  require_tile(args.src, "send", at);
  return Pending<void>{pe_.send(args.dir, args.src.state(), args.tag, at)};
}

Pending<Tile> TL::recv(RecvArgs args, Here at) {
  require_shape(args.shape, "recv", at);
  return Pending<Tile>{pe_.recv(args.dir, args.shape, args.dtype, args.tag, at)};
}

Tile TL::full(Shape shape, double value, DType dtype, Here at) {
  require_shape(shape, "full", at);
  return Tile{pe_.execute(
      {.kind = oplog::OpKind::fill, .params = {.scalar = value}, .shape = shape, .dtype = dtype, .at = at})};
}

Tile TL::zeros(Shape shape, DType dtype, Here at) { return full(shape, 0.0, dtype, at); }

Tile TL::maximum(const Tile& a, const Tile& b, Here at) { return binary(oplog::BinaryOp::maximum, a, b, at); }

Tile TL::minimum(const Tile& a, const Tile& b, Here at) { return binary(oplog::BinaryOp::minimum, a, b, at); }

Tile binary(oplog::BinaryOp op, const Tile& a, const Tile& b, std::source_location at) {
  require_tile(a, to_string(op), at);
  require_tile(b, to_string(op), at);
  require_same(a, b, to_string(op), at);
  return Tile{a.state()->owner().execute({.kind = oplog::OpKind::binary,
                                          .params = {.binary = op},
                                          .inputs = {a.state(), b.state(), nullptr},
                                          .shape = a.shape(),
                                          .dtype = a.dtype(),
                                          .at = at})};
}

Tile binary(oplog::BinaryOp op, const Tile& a, double b, std::source_location at) {
  require_tile(a, to_string(op), at);
  PeBackend& pe = a.state()->owner();
  const TilePtr number = pe.execute(
      {.kind = oplog::OpKind::fill, .params = {.scalar = b}, .shape = {}, .dtype = a.dtype(), .at = at});
  return Tile{pe.execute({.kind = oplog::OpKind::binary,
                          .params = {.binary = op},
                          .inputs = {a.state(), number, nullptr},
                          .shape = a.shape(),
                          .dtype = a.dtype(),
                          .at = at})};
}

const TileState& Tile::used(std::string_view call, const std::source_location& at) const {
  require_tile(*this, call, at);
  return *state_;
}

Tile Tile::to(DType dtype, std::source_location at) const {
  require_tile(*this, "to", at);
  return Tile{state_->owner().execute({.kind = oplog::OpKind::cast,
                                       .inputs = {state_, nullptr, nullptr},
                                       .shape = shape(),
                                       .dtype = dtype,
                                       .at = at})};
}

Registry<KernelEntry>& kernels() {
  static Registry<KernelEntry> registry{"kernel"};
  return registry;
}

bool register_kernel(std::string name, KernelEntry entry, const char& /*abi*/) noexcept {
  (void)kernels().offer(std::move(name), std::move(entry));
  return true;
}

}  // namespace kbsim
