#include "binary.hpp"

#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "arrays.hpp"
#include "convert.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;

template <class T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
  } else {
    return a < b ? b : a;
  }
}

template <class T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return b;
    if (a == b) return std::signbit(a) ? a : b;
    return b < a ? b : a;
  } else {
    return b < a ? b : a;
  }
}

template <std::signed_integral T>
T quotient(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  return b == -1 ? static_cast<T>(Unsigned{0} - static_cast<Unsigned>(a)) : static_cast<T>(a / b);
}
template <std::unsigned_integral T>
T quotient(T a, T b) {
  return static_cast<T>(a / b);
}

/// Hands the expression `a op b` to `store`; a and b are Eigen expressions of numbers that Eigen computes
/// with.
template <class A, class B, class Store>
void apply_float(BinaryOp op, const A& a, const B& b, const Store& store) {
  using T = typename A::Scalar;
  switch (op) {
    case BinaryOp::add: return store(a + b);
    case BinaryOp::sub: return store(a - b);
    case BinaryOp::mul: return store(a * b);
    case BinaryOp::div: return store(a / b);
    case BinaryOp::maximum: return store(a.binaryExpr(b, [](T x, T y) { return maximum(x, y); }));
    case BinaryOp::minimum: return store(a.binaryExpr(b, [](T x, T y) { return minimum(x, y); }));
    default: throw InternalError{"an operator that isn't here"};
  }
}

template <class A, class B, class Store>
void apply_integer(BinaryOp op, const A& a, const B& b, const Store& store) {
  using T = typename A::Scalar;
  using Wrapping = std::conditional_t<sizeof(T) < 8, std::uint32_t, std::uint64_t>;
  const auto x = a.template cast<Wrapping>();
  const auto y = b.template cast<Wrapping>();
  switch (op) {
    case BinaryOp::add: return store(x + y);
    case BinaryOp::sub: return store(x - y);
    case BinaryOp::mul: return store(x * y);
    case BinaryOp::div:
      if ((b == T{0}).any()) throw KernelFault{"integer division by zero"};
      return store(a.binaryExpr(b, [](T n, T d) { return quotient(n, d); }));
    case BinaryOp::maximum: return store(a.binaryExpr(b, [](T n, T m) { return maximum(n, m); }));
    case BinaryOp::minimum: return store(a.binaryExpr(b, [](T n, T m) { return minimum(n, m); }));
    default: throw InternalError{"an operator that isn't here"};
  }
}

template <class T, class A, class B>
void apply(BinaryOp op, const A& a, const B& b, MutableArray<T> out) {
  if constexpr (std::is_integral_v<T>) {
    apply_integer(op, a, b, [&](const auto& result) { out = result.template cast<T>(); });
  } else {
    using Wide = decltype(widen(T{}));
    const auto wide = [](T x) { return widen(x); };
    apply_float(op, a.unaryExpr(wide), b.unaryExpr(wide),
                [&](const auto& result) { out = result.unaryExpr([](Wide x) { return convert<T>(x); }); });
  }
}

template <class T>
constexpr bool kStorageOnly =
    std::is_same_v<T, Bool> || std::is_same_v<T, F8E4M3> || std::is_same_v<T, F8E5M2>;

}  // namespace

Buffer binary(BinaryOp op, std::span<const std::byte> a, std::span<const std::byte> b, DType dtype) {
  Buffer out(a.size());
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (kStorageOnly<T>) {
      throw Unsupported{fmt::format("{} has no arithmetic; cast it first", to_string(dtype))};
    } else {
      const auto x = array<T>(a);
      const auto y = array<T>(b);
      const auto to = array<T>(std::span{out});
      if (x.size() == y.size()) return apply<T>(op, x, y, to);
      apply<T>(op, x, Eigen::Array<T, Eigen::Dynamic, 1>::Constant(x.size(), y[0]), to);
    }
  });
  return out;
}

}  // namespace kbsim::replay
