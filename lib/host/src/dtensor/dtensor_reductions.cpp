// Reductions of DTensors over one dimension or all.
#include <cmath>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/dtensor/dtensor_operators.hpp"

#include "../reduction.hpp"
#include "../tensor_promotion.hpp"
#include "local_results.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = DTensor::Here;
using Op = ReductionArgs::Op;

struct ReductionOperator {
  std::string_view name;
  Op op;
  Reduction over_ranks;
  bool floats = false;
};
constexpr ReductionOperator kSum{"sum", Op::sum, Reduction::sum};
constexpr ReductionOperator kMean{"mean", Op::sum, Reduction::avg, true};
constexpr ReductionOperator kNorm{"norm", Op::norm, Reduction::sum, true};
constexpr ReductionOperator kAmax{"amax", Op::max, Reduction::max};
constexpr ReductionOperator kAmin{"amin", Op::min, Reduction::min};

Combination combination(const ReductionOperator& what, const DTensor& x, const DimOptions& options, Here at) {
  require_computable(x, what.name, at);
  require(!what.floats || is_floating(x.dtype()), what.name, at,
          fmt::format("got {}, expected a floating dtype; cast it", kbsim::to_string(x.dtype())));
  const int rank = x.shape().rank();
  std::optional<int> dim = options.dim;
  if (dim) {
    require(*dim >= -rank && *dim < rank, what.name, at,
            fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -rank,
                        rank - 1, *dim));
    if (*dim < 0) *dim += rank;
  }
  const bool extreme = what.op == Op::max || what.op == Op::min;
  const std::int64_t n = dim ? x.shape()[*dim] : x.shape().elements();
  require(!extreme || n > 0, what.name, at,
          fmt::format("{} has no elements to reduce", to_string(x.shape())));
  return {.op = what.over_ranks,
          .dim = dim,
          .keepdim = options.keepdim,
          .result = reduced_dtype(x.dtype(), what.op)};
}

// Ranks along the axes whose parts of one result are combined later.
double parts_of(const DTensor& x, const ShardingRule& rule) {
  double parts = 1;
  for (std::size_t axis = 0; axis < rule.result.size(); ++axis) {
    if (std::holds_alternative<Shard>(rule.operands[0][axis]) &&
        std::holds_alternative<Partial>(rule.result[axis]))
      parts *= x.device_mesh().shape()[axis];
  }
  return parts;
}

// The rank's own part: of a mean, the part that gives the mean by an average over the ranks.
Task<DTensor> locally(ReductionOperator what, DTensor x, Combination how, ShardingRule rule, DType dtype,
                      Here at) {
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const Shape shape = reduced_shape(x.shape(), how.dim, how.keepdim);
  const LocalResult result{.like = from, .shape = shape, .dtype = dtype, .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const std::int64_t n = how.dim ? x.shape()[*how.dim] : x.shape().elements();
  if (!from.to_local()) {
    const bool undefined = how.op == Reduction::avg && n == 0;
    const Tensor made = co_await filled(result, undefined ? std::nan("") : 0.0, at);
    co_return result.of(made);
  }
  const double divisor = how.op == Reduction::avg ? static_cast<double>(n) / parts_of(from, rule) : 1.0;
  const Tensor local = co_await launch_reduction(
      {.name = what.name, .at = at, .inputs = {{from.local(at), at}}},
      {.op = what.op, .dim = how.dim, .keepdim = how.keepdim, .dtype = dtype, .divisor = divisor});
  co_return result.of(local);
}

Task<DTensor> reduction(ReductionOperator what, DTensor x, DimOptions options, Here at) {
  const Combination how = combination(what, x, options, at);
  const ShardingRule rule = reduction_rule(x.device_mesh().shape(), placed(x), how);
  const DTensor y = co_await locally(what, x, how, rule, how.result, at);
  co_return y;
}

Task<DTensor> cast_to(DTensor x, DType dtype, Here at) {
  const LocalResult result{.like = x, .shape = x.shape(), .dtype = dtype, .placements = x.placements()};
  if (!result.is_here()) co_return result.of({});
  const Tensor local = co_await host::cast({x.local(at), at}, dtype);
  co_return result.of(local);
}

// The root isn't linear: squares of the ranks' norms are summed in the wider dtype first. No rank keeps a
// Partial.
Task<DTensor> norm_of(DTensor x, DimOptions options, Here at) {
  Combination how = combination(kNorm, x, options, at);
  how.result = x.dtype() == f64 ? f64 : f32;
  const Placements whole = elementwise_rule(placed(x)).result;
  const DTensor from = co_await x.redistribute(whole, at);
  const ShardingRule rule = reduction_rule(x.device_mesh().shape(), placed(from), how);
  const DTensor norms = co_await locally(kNorm, from, how, rule, how.result, at);
  if (parts_of(from, rule) == 1.0) {
    const DTensor only = co_await cast_to(norms, x.dtype(), at);
    co_return only;
  }
  const ShardingRule as_is{.operands = {norms.placements()}, .result = norms.placements()};
  const DTensor squares = co_await on_parts(
      norms, as_is, [](const TensorOperand& t, OperatorOptions o) { return host::mul(t, t, std::move(o)); },
      at);
  const DTensor total = co_await squares.consume(elementwise_rule(placed(squares)).result, at);
  const DTensor root = co_await on_parts(total, elementwise_rule(placed(total)), host::sqrt, at);
  const DTensor rounded = co_await cast_to(root, x.dtype(), at);
  co_return rounded;
}

}  // namespace

Task<DTensor> sum(DTensor x, DimOptions options, Here at) {
  return reduction(kSum, std::move(x), options, at);
}
Task<DTensor> mean(DTensor x, DimOptions options, Here at) {
  return reduction(kMean, std::move(x), options, at);
}
Task<DTensor> norm(DTensor x, DimOptions options, Here at) { return norm_of(std::move(x), options, at); }
Task<DTensor> amax(DTensor x, DimOptions options, Here at) {
  return reduction(kAmax, std::move(x), options, at);
}
Task<DTensor> amin(DTensor x, DimOptions options, Here at) {
  return reduction(kAmin, std::move(x), options, at);
}

}  // namespace kbsim::host::dtensor
