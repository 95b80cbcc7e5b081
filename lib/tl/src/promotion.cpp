#include "promotion.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace kbsim {
namespace {

bool is_f8(DType t) { return t == DType::f8e4m3 || t == DType::f8e5m2; }
bool is_half(DType t) { return t == f16 || t == bf16; }
bool integral(DType t) { return !info(t).floating; }

Number::Kind kind(DType t) {
  if (t == DType::boolean) return Number::Kind::boolean;
  return integral(t) ? Number::Kind::integer : Number::Kind::floating;
}

int bits(DType t) { return t == DType::boolean ? 1 : 8 * itemsize(t); }

// The wider one if both have the same signedness; else the unsigned one if it is no narrower.
DType promoted_integers(DType a, DType b) {
  if (info(a).is_signed == info(b).is_signed) return bits(a) > bits(b) ? a : b;
  if (!info(a).is_signed) return bits(a) >= bits(b) ? a : b;
  return bits(b) >= bits(a) ? b : a;
}

std::optional<DType> promoted_floats(DType a, DType b, Promotion how) {
  const auto either = [&](DType t) { return a == t || b == t; };
  if (either(f64)) return f64;
  if (either(f32)) return f32;
  if (either(f16)) return how == Promotion::division ? f32 : f16;
  if (either(bf16)) return a == b && how == Promotion::plain ? bf16 : f32;
  if (is_f8(a) && is_f8(b)) return a == b ? a : f16;
  return std::nullopt;
}

DType promoted_tiles(const Call& call, DType a, DType b, Promotion how) {
  if (const auto floating = promoted_floats(a, b, how)) return *floating;
  if (!integral(a) || !integral(b)) {
    throw call.fault("{} and {} don't go together; cast one of them", to_string(a), to_string(b));
  }
  if (how == Promotion::division && info(a).is_signed != info(b).is_signed) {
    throw call.fault("{} and {} have different signedness; cast one of them", to_string(a), to_string(b));
  }
  return promoted_integers(a, b);
}

// A number of no higher kind takes the tile's dtype.
DType promoted_with_number(const Call& call, DType tile, DType number, Promotion how) {
  if (kind(number) > kind(tile)) return promoted_tiles(call, tile, number, how);
  return how == Promotion::division && is_half(tile) ? f32 : tile;
}

}  // namespace

Term::Term(const Operand& operand)
    : dtype{operand.tile ? operand.tile->dtype() : dtype_of(operand.number)}, number{!operand.tile} {}

DType dtype_of(const Number& number) {
  switch (number.kind()) {
    case Number::Kind::boolean: return DType::boolean;
    case Number::Kind::integer:
      return number.integer() == static_cast<std::int32_t>(number.integer()) ? i32 : DType::i64;
    case Number::Kind::floating: break;
  }
  using Limits = std::numeric_limits<float>;
  const double size = std::abs(number.value());
  const bool fits = size == 0.0 || !std::isfinite(size) || (Limits::min() <= size && size <= Limits::max());
  return fits ? f32 : f64;
}

DType promoted(const Call& call, Term a, Term b, Promotion how) {
  if (a.number == b.number) return promoted_tiles(call, a.dtype, b.dtype, how);
  return a.number ? promoted_with_number(call, b.dtype, a.dtype, how)
                  : promoted_with_number(call, a.dtype, b.dtype, how);
}

DType promoted(const Call& call, Term a, Term b, Term c) {
  if (a.number && b.number) return promoted(call, c, promoted(call, b, a));
  return promoted(call, promoted(call, a, b), c);
}

}  // namespace kbsim
