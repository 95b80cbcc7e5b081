#include <bit>
#include <cmath>

#include "chunks.hpp"
#include "extremes.hpp"
#include "operations.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::TernaryOp;

/// Items of one size, moved as they are.
template <class Item>
void choose(const Op& op, Inputs inputs, Output out) {
  const Aligned condition = broadcast_to(op.inputs[0], inputs[0], op.shape);
  const Aligned yes = broadcast_to(op.inputs[1], inputs[1], op.shape);
  const Aligned no = broadcast_to(op.inputs[2], inputs[2], op.shape);
  const auto c = array<std::uint8_t>(condition.bytes());
  const auto x = array<Item>(yes.bytes());
  const auto y = array<Item>(no.bytes());
  auto to = array<Item>(out);
  const auto at = [](const auto& items, Eigen::Index i) { return items[items.size() == 1 ? 0 : i]; };
  for (Eigen::Index i = 0; i < to.size(); ++i) to[i] = at(c, i) != 0 ? at(x, i) : at(y, i);
}

void where(const Op& op, Inputs inputs, Output out) {
  switch (itemsize(op.dtype)) {
    case 1: return choose<std::uint8_t>(op, inputs, out);
    case 2: return choose<std::uint16_t>(op, inputs, out);
    case 4: return choose<std::uint32_t>(op, inputs, out);
    default: return choose<std::uint64_t>(op, inputs, out);
  }
}

/// x + y rounded to odd: rounding it again into a narrower format gives what rounding the exact sum gives.
double sum_to_odd(double x, double y) {
  const double sum = x + y;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - x;
  const double error = (x - (sum - part)) + (y - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || (bits & 1U) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

struct FusedWide {  // of f64
  double operator()(double a, double b, double c) const { return std::fma(a, b, c); }
};
struct FusedNarrow {  // of floats whose products a double holds exactly
  double operator()(double a, double b, double c) const { return sum_to_odd(a * b, c); }
};
struct Clamp {
  oplog::Nan nan;
  double operator()(double x, double low, double high) const {
    return minimum(maximum(x, low, nan), high, nan);
  }
};

template <class F>
void each(const Op& op, Inputs inputs, Output out, const F& f) {
  Chunks<double> a{op.inputs[0], inputs[0], op.shape};
  Chunks<double> b{op.inputs[1], inputs[1], op.shape};
  Chunks<double> c{op.inputs[2], inputs[2], op.shape};
  Chunk<double> y;
  for_each_chunk(op.shape.elements(), [&](Eigen::Index first, Eigen::Index n) {
    const auto x0 = a.at(first, n);
    const auto x1 = b.at(first, n);
    const auto x2 = c.at(first, n);
    y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) y[i] = f(x0[i], x1[i], x2[i]);
    store<double>({y.data(), n}, op.dtype, part(out, op.dtype, first, n));
  });
}

}  // namespace

void ternary(const Op& op, Inputs inputs, Output out) {
  switch (op.params.ternary) {
    case TernaryOp::where: return where(op, inputs, out);
    case TernaryOp::clamp: return each(op, inputs, out, Clamp{op.params.nan});
    case TernaryOp::fma:
      if (op.dtype == DType::f64) return each(op, inputs, out, FusedWide{});
      return each(op, inputs, out, FusedNarrow{});
  }
}

}  // namespace kbsim::replay
