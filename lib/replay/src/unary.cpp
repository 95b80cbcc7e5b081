#include <cmath>
#include <functional>

#include "chunks.hpp"
#include "operations.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::UnaryOp;

/// Applies `f` to each element, computing in W.
template <class W, class F>
void each(const Op& op, Inputs inputs, Output out, const F& f) {
  Chunks<W> x{op.inputs[0], inputs[0], op.shape};
  Chunk<W> y;
  for_each_chunk(op.shape.elements(), [&](Eigen::Index first, Eigen::Index n) {
    y = x.at(first, n).unaryExpr(f);
    store<W>({y.data(), n}, op.dtype, part(out, op.dtype, first, n));
  });
}

double sigmoid(double x) {
  const double small = std::exp(-std::abs(x));  // never overflows
  return (x < 0 ? small : 1.0) / (1.0 + small);
}

/// Functions whose results no format holds exactly: computed in double, then rounded once.
double inexact(UnaryOp op, double x) {
  switch (op) {
    case UnaryOp::exp: return std::exp(x);
    case UnaryOp::exp2: return std::exp2(x);
    case UnaryOp::log: return std::log(x);
    case UnaryOp::log2: return std::log2(x);
    case UnaryOp::rsqrt: return 1.0 / std::sqrt(x);
    case UnaryOp::sin: return std::sin(x);
    case UnaryOp::cos: return std::cos(x);
    case UnaryOp::tanh: return std::tanh(x);
    case UnaryOp::sigmoid: return sigmoid(x);
    case UnaryOp::erf: return std::erf(x);
    default: throw InternalError{"a function beyond the table"};
  }
}

template <class W>
W exact(UnaryOp op, W x) {
  switch (op) {
    case UnaryOp::neg: return -x;
    case UnaryOp::abs: return std::abs(x);
    case UnaryOp::sqrt: return std::sqrt(x);
    case UnaryOp::floor: return std::floor(x);
    case UnaryOp::ceil: return std::ceil(x);
    default: throw InternalError{"a function beyond the table"};
  }
}

std::int64_t integer(UnaryOp op, std::int64_t x) {
  const auto bits = static_cast<std::uint64_t>(x);
  switch (op) {
    case UnaryOp::neg: return static_cast<std::int64_t>(0 - bits);
    case UnaryOp::invert: return static_cast<std::int64_t>(~bits);
    case UnaryOp::abs: return static_cast<std::int64_t>(x < 0 ? 0 - bits : bits);
    default: throw InternalError{"a function beyond the table"};
  }
}

bool is_exact(UnaryOp op) {
  return op == UnaryOp::neg || op == UnaryOp::abs || op == UnaryOp::sqrt || op == UnaryOp::floor ||
         op == UnaryOp::ceil;
}

}  // namespace

void unary(const Op& op, Inputs inputs, Output out) {
  const UnaryOp code = op.params.unary;
  if (op.dtype == DType::boolean) {
    return each<std::int64_t>(op, inputs, out, [](std::int64_t x) { return std::int64_t{x == 0}; });
  }
  if (!info(op.dtype).floating) {
    return each<std::int64_t>(op, inputs, out, [code](std::int64_t x) { return integer(code, x); });
  }
  if (!is_exact(code)) return each<double>(op, inputs, out, [code](double x) { return inexact(code, x); });
  if (op.dtype == DType::f64)
    return each<double>(op, inputs, out, [code](double x) { return exact(code, x); });
  each<float>(op, inputs, out, [code](float x) { return exact(code, x); });
}

}  // namespace kbsim::replay
