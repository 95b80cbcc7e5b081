// Atomics: their dtypes, and the checks before they leave the PE.
#include "kbsim/tl/atomic.hpp"

#include <array>

#include "kbsim/tl/tl.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

constexpr std::string_view kAllowed =
    "i32, i64, f32 and f64; add of f16 and bf16 too; and, or, xor of i32 and i64; cas of i16, i32 and i64";

// A number becomes a tile of one element.
Tile tile_of(const Call& call, PeBackend& pe, const Operand& x, DType dtype) {
  if (x.tile == nullptr) return Tile{pe.view(call.constant(pe, x.number, dtype).state(), Shape{1}, dtype)};
  call.require_tile(*x.tile);
  if (x.tile->dtype() == dtype) return *x.tile;
  throw call.fault("a tile of {} on memory of {}; convert it with .to({})", to_string(x.tile->dtype()),
                   to_string(dtype), to_string(dtype));
}

void require_atomic(const Call& call, AtomicOp op, Ptr to) {
  if (!applies(op, to.dtype)) throw call.fault("not of {}: atomics are of {}", to_string(to.dtype), kAllowed);
  const auto item = static_cast<std::uint64_t>(itemsize(to.dtype));
  if (to.va % item != 0)
    throw call.fault("{:#x} is not aligned to the {} B of {}", to.va, item, to_string(to.dtype));
}

Pending<Tile> atomic(PeBackend& pe, AtomicOp op, Ptr to, const Operand& value, std::source_location at) {
  const Call call{to_string(op), at, &pe};
  require_atomic(call, op, to);
  const Tile operand = tile_of(call, pe, value, to.dtype);
  return Pending<Tile>{
      pe.issue(AtomicCommand{.op = op, .to = to, .operand = operand.state(), .expected = nullptr, .at = at})};
}

}  // namespace

std::string_view to_string(AtomicOp op) {
  constexpr std::array<std::string_view, 8> kNames{"atomic_add", "atomic_max", "atomic_min",  "atomic_and",
                                                   "atomic_or",  "atomic_xor", "atomic_xchg", "atomic_cas"};
  return kNames[static_cast<std::size_t>(op)];
}

bool applies(AtomicOp op, DType dtype) {
  const bool integer = dtype == i32 || dtype == DType::i64;
  switch (op) {
    case AtomicOp::bit_and:
    case AtomicOp::bit_or:
    case AtomicOp::bit_xor: return integer;
    case AtomicOp::compare_exchange: return integer || dtype == DType::i16;
    case AtomicOp::add: return integer || (info(dtype).floating && itemsize(dtype) >= 2);
    default: return integer || dtype == f32 || dtype == f64;
  }
}

oplog::BinaryOp binary_of(AtomicOp op) {
  using oplog::BinaryOp;
  constexpr std::array<BinaryOp, 6> kOps{BinaryOp::add,     BinaryOp::maximum, BinaryOp::minimum,
                                         BinaryOp::bit_and, BinaryOp::bit_or,  BinaryOp::bit_xor};
  return kOps[static_cast<std::size_t>(op)];
}

Pending<Tile> TL::atomic_add(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::add, to, value, at);
}
Pending<Tile> TL::atomic_max(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::max, to, value, at);
}
Pending<Tile> TL::atomic_min(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::min, to, value, at);
}
Pending<Tile> TL::atomic_and(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::bit_and, to, value, at);
}
Pending<Tile> TL::atomic_or(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::bit_or, to, value, at);
}
Pending<Tile> TL::atomic_xor(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::bit_xor, to, value, at);
}
Pending<Tile> TL::atomic_xchg(Ptr to, Operand value, Here at) {
  return atomic(pe_, AtomicOp::exchange, to, value, at);
}

Pending<Tile> TL::atomic_cas(Ptr to, Operand expected, Operand desired, Here at) {
  const AtomicOp op = AtomicOp::compare_exchange;
  const Call call{to_string(op), at, &pe_};
  require_atomic(call, op, to);
  const Tile first = tile_of(call, pe_, expected, to.dtype);
  const Tile second = tile_of(call, pe_, desired, to.dtype);
  if (first.shape() != second.shape()) {
    throw call.fault("expected is {}, but desired is {}", to_string(first.shape()),
                     to_string(second.shape()));
  }
  return Pending<Tile>{pe_.issue(
      AtomicCommand{.op = op, .to = to, .operand = second.state(), .expected = first.state(), .at = at})};
}

}  // namespace kbsim
