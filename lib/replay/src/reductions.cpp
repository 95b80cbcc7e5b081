// Reductions and scans: along each line in ascending order of the index, starting with the first element.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kbsim/oplog/rules.hpp"

#include "along.hpp"
#include "extremes.hpp"
#include "operations.hpp"
#include "wide.hpp"

namespace kbsim::replay {
namespace {

using oplog::Nan;
using oplog::Op;
using oplog::OpKind;
using oplog::ReduceOp;

template <class W>
W plus(W a, W b) {
  if constexpr (std::is_floating_point_v<W>)
    return a + b;
  else
    return static_cast<W>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Each element becomes `f` of all up to it.
template <class W>
void accumulate(const Line<W>& line, W (*f)(W, W)) {
  for (std::int64_t i = 1; i < line.size; ++i) line[i] = f(line[i - 1], line[i]);
}

template <class W>
Line<W> reversed(const Line<W>& line) {
  return {line.first + (line.size - 1) * line.stride, line.size, -line.stride};
}

template <class W>
W times(W a, W b) {
  if constexpr (std::is_floating_point_v<W>)
    return a * b;
  else
    return static_cast<W>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

template <class W, class F>
W fold(const Line<const W>& line, const F& f) {
  W all = line[0];
  for (std::int64_t i = 1; i < line.size; ++i) all = f(all, line[i]);
  return all;
}

template <class W>
W folded(ReduceOp op, Nan nan, const Line<const W>& line) {
  switch (op) {
    case ReduceOp::sum: return fold(line, plus<W>);
    case ReduceOp::prod: return fold(line, times<W>);
    case ReduceOp::max: return fold(line, [nan](W a, W b) { return maximum(a, b, nan); });
    default: return fold(line, [nan](W a, W b) { return minimum(a, b, nan); });
  }
}

/// Whether an element takes the place of the best so far; the first of equals stays.
template <class W>
bool better(ReduceOp op, Nan nan, W candidate, W best) {
  if (is_nan(best)) return nan == Nan::ignore && !is_nan(candidate);
  if (is_nan(candidate)) return nan == Nan::propagate;
  return op == ReduceOp::argmax ? candidate > best : candidate < best;
}

template <class W>
std::int64_t index_of_best(ReduceOp op, Nan nan, const Line<const W>& line) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < line.size; ++i) {
    if (better(op, nan, line[i], line[best])) best = i;
  }
  return best;
}

/// Calls `f(line, index)` for each line along an axis of the input.
template <class W, class F>
void for_each_line(std::vector<W>& numbers, const Along& along, const F& f) {
  for (std::int64_t i = 0; i < along.lines(); ++i) {
    f(Line<W>{numbers.data() + along.begin(i), along.n, along.inner}, static_cast<std::size_t>(i));
  }
}

template <class W>
void reduce_as(const Op& op, Inputs inputs, Output out) {
  std::vector<W> numbers = loaded<W>(inputs[0], op.inputs[0].dtype);
  const Along along{op.inputs[0].shape, op.params.axis};
  const auto constant = [](const Line<W>& line) { return Line<const W>{line.first, line.size, line.stride}; };
  if (gives_index(op.params.reduce)) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(along.lines()));
    for_each_line(numbers, along, [&](const Line<W>& line, std::size_t i) {
      indices[i] = index_of_best(op.params.reduce, op.params.nan, constant(line));
    });
    return store(indices, op.dtype, out);
  }
  std::vector<W> results(static_cast<std::size_t>(along.lines()));
  for_each_line(numbers, along, [&](const Line<W>& line, std::size_t i) {
    results[i] = folded(op.params.reduce, op.params.nan, constant(line));
  });
  store(results, op.dtype, out);
}

}  // namespace

void reduce(const Op& op, Inputs inputs, Output out) {
  const DType wider = op.dtype == f64 ? f64 : op.inputs[0].dtype;
  dispatch_wide(wider, [&]<class W>(TypeTag<W>) { reduce_as<W>(op, inputs, out); });
}

void scan(const Op& op, Inputs inputs, Output out) {
  const DType wider = op.dtype == f64 ? f64 : op.inputs[0].dtype;
  const bool multiplies = op.kind == OpKind::cumprod || op.kind == OpKind::cumprod_reverse;
  const bool descends = op.kind == OpKind::cumsum_reverse || op.kind == OpKind::cumprod_reverse;
  dispatch_wide(wider, [&]<class W>(TypeTag<W>) {
    std::vector<W> numbers = loaded<W>(inputs[0], op.inputs[0].dtype);
    for_each_line(numbers, {op.shape, op.params.axis}, [&](const Line<W>& line, std::size_t) {
      accumulate(descends ? reversed(line) : line, multiplies ? times<W> : plus<W>);
    });
    store(numbers, op.dtype, out);
  });
}

void softmax(const Op& op, Inputs inputs, Output out) {
  dispatch_wide(op.dtype, [&]<class W>(TypeTag<W>) {
    std::vector<W> numbers = loaded<W>(inputs[0], op.dtype);
    for_each_line(numbers, {op.shape, op.params.axis}, [](const Line<W>& line, std::size_t) {
      const Line<const W> x{line.first, line.size, line.stride};
      const W greatest = folded(ReduceOp::max, Nan::ignore, x);
      for (std::int64_t i = 0; i < line.size; ++i) {
        line[i] = static_cast<W>(std::exp(static_cast<double>(line[i] - greatest)));
      }
      const W sum = folded(ReduceOp::sum, Nan::ignore, x);
      for (std::int64_t i = 0; i < line.size; ++i) line[i] = line[i] / sum;
    });
    store(numbers, op.dtype, out);
  });
}

}  // namespace kbsim::replay
