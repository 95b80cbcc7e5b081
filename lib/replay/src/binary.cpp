#include <cmath>
#include <type_traits>

#include "kbsim/oplog/rules.hpp"

#include "chunks.hpp"
#include "extremes.hpp"
#include "operations.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;
using oplog::Op;

template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// A shift by all bits or more leaves nothing but the sign; a negative count is a large one.
template <class T>
T shifted(BinaryOp op, T a, T b) {
  static_assert(std::is_signed_v<T>);
  using Unsigned = std::make_unsigned_t<T>;
  constexpr auto kBits = static_cast<Unsigned>(8 * sizeof(T));
  const auto count = static_cast<Unsigned>(b);
  if (op == BinaryOp::shr) return static_cast<T>(a >> std::min<Unsigned>(count, kBits - 1));
  return count < kBits ? static_cast<T>(static_cast<std::uint64_t>(a) << count) : T{0};
}

template <class T>
struct Elements {
  BinaryOp op;
  oplog::Nan nan;
  ConstArray<T> a;
  ConstArray<T> b;

  template <class F>
  void each(Chunk<T>& out, const F& f) const {
    out = a.binaryExpr(b, f);
  }

  /// Common to floats and integers.
  void extremes(Chunk<T>& out) const {
    if (op == BinaryOp::maximum) each(out, [n = nan](T x, T y) { return maximum(x, y, n); });
    if (op == BinaryOp::minimum) each(out, [n = nan](T x, T y) { return minimum(x, y, n); });
  }

  void floats(Chunk<T>& out) const {
    switch (op) {
      case BinaryOp::add: out = a + b; break;
      case BinaryOp::sub: out = a - b; break;
      case BinaryOp::mul: out = a * b; break;
      case BinaryOp::div: out = a / b; break;
      case BinaryOp::mod: each(out, [](T x, T y) { return std::fmod(x, y); }); break;
      default: extremes(out);
    }
  }

  void integers(Chunk<T>& out) const {
    using Wrapping = std::conditional_t<sizeof(T) < 8, std::uint32_t, std::uint64_t>;
    const auto x = a.template cast<Wrapping>();
    const auto y = b.template cast<Wrapping>();
    switch (op) {
      case BinaryOp::add: out = (x + y).template cast<T>(); break;
      case BinaryOp::sub: out = (x - y).template cast<T>(); break;
      case BinaryOp::mul: out = (x * y).template cast<T>(); break;
      case BinaryOp::div: each(out, [](T n, T d) { return quotient(n, d); }); break;
      case BinaryOp::mod: each(out, [](T n, T d) { return remainder(n, d); }); break;
      case BinaryOp::bit_and: each(out, [](T n, T m) { return static_cast<T>(n & m); }); break;
      case BinaryOp::bit_or: each(out, [](T n, T m) { return static_cast<T>(n | m); }); break;
      case BinaryOp::bit_xor: each(out, [](T n, T m) { return static_cast<T>(n ^ m); }); break;
      case BinaryOp::shl:
      case BinaryOp::shr: each(out, [code = op](T n, T m) { return shifted(code, n, m); }); break;
      default: extremes(out);
    }
  }

  [[nodiscard]] bool divides_by_zero() const {
    return (op == BinaryOp::div || op == BinaryOp::mod) && (b == T{0}).any();
  }

  void compute(Chunk<T>& out) const {
    if constexpr (std::is_floating_point_v<T>) {
      floats(out);
    } else {
      if (divides_by_zero()) throw KernelFault{"integer division by zero"};
      integers(out);
    }
  }

  void compare(Chunk<std::uint8_t>& out) const {
    switch (op) {
      case BinaryOp::lt: out = (a < b).template cast<std::uint8_t>(); break;
      case BinaryOp::le: out = (a <= b).template cast<std::uint8_t>(); break;
      case BinaryOp::gt: out = (a > b).template cast<std::uint8_t>(); break;
      case BinaryOp::ge: out = (a >= b).template cast<std::uint8_t>(); break;
      case BinaryOp::eq: out = (a == b).template cast<std::uint8_t>(); break;
      default: out = (a != b).template cast<std::uint8_t>(); break;
    }
  }
};

template <class W>
void elementwise(const Op& op, Inputs inputs, Output out) {
  Chunks<W> a{op.inputs[0], inputs[0], op.shape};
  Chunks<W> b{op.inputs[1], inputs[1], op.shape};
  Chunk<W> numbers;
  Chunk<std::uint8_t> truths;
  for_each_chunk(op.shape.elements(), [&](Eigen::Index first, Eigen::Index n) {
    const Elements<W> elements{op.params.binary, op.params.nan, a.at(first, n), b.at(first, n)};
    const std::span<std::byte> to = part(out, op.dtype, first, n);
    if (is_comparison(op.params.binary)) {
      elements.compare(truths);
      store<std::uint8_t>({truths.data(), n}, op.dtype, to);
    } else {
      elements.compute(numbers);
      store<W>({numbers.data(), n}, op.dtype, to);
    }
  });
}

}  // namespace

void binary(const Op& op, Inputs inputs, Output out) {
  dispatch_elements(op.inputs[0].dtype, [&]<class W>(TypeTag<W>) { elementwise<W>(op, inputs, out); });
}

}  // namespace kbsim::replay
