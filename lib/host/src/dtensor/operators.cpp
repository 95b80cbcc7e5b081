#include "kbsim/host/dtensor/operators.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/operators.hpp"

#include "sharding_rules.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = DTensor::Here;

Placed placed(const DTensor& x) { return {.shape = x.shape(), .placements = x.placements()}; }

void require_one_mesh(const DTensor& a, const DTensor& b, std::string_view call, Here at) {
  if (a.device_mesh() == b.device_mesh()) return;
  throw UsageError{fmt::format("{}: {}: DTensors of different meshes", to_string(to_place(at)), call)};
}

/// A result as the rule places it, not computed yet: what each rank has of it.
struct Result {
  DTensor like;  // mesh, dtype, dp
  Shape shape;
  Placements placements;

  [[nodiscard]] Shape local() const {
    const DeviceMesh& mesh = like.device_mesh();
    return local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
  }
  [[nodiscard]] bool is_here() const { return local().elements() > 0; }
  [[nodiscard]] DTensor of(std::optional<Tensor> tensor) const {
    const DType dtype = tensor ? tensor->dtype() : like.dtype();
    return DTensor::from_local(like.device_mesh(), placements, shape, dtype, std::move(tensor), like.dp());
  }
};

// A contraction of nothing is 0.
Task<Tensor> zeros_of(Result result, Here at) {
  const DTensor& like = result.like;
  const Tensor zeros = co_await like.device_mesh().rank().torch.zeros(result.local(), like.dtype(),
                                                                      {.dp = like.dp(), .name = "zeros"}, at);
  co_return zeros;
}

// An operator on the rank's part of one operand.
Task<DTensor> on_parts(DTensor x, ShardingRule rule,
                       PendingTensor (*apply)(const TensorOperand&, OperatorOptions), Here at) {
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const Result result{.like = from, .shape = x.shape(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor local = co_await apply({from.local(at), at}, {});
  co_return result.of(local);
}

}  // namespace

Task<DTensor> matmul(DTensor x, DTensor w, Here at) {
  require_one_mesh(x, w, "matmul", at);
  if (w.shape().rank() != 2 || x.shape().rank() < 2 || x.shape()[x.shape().rank() - 1] != w.shape()[0])
    throw UsageError{fmt::format("{}: matmul: shapes {} and {} can't be multiplied", to_string(to_place(at)),
                                 to_string(x.shape()), to_string(w.shape()))};
  const ShardingRule rule = matmul_rule(x.device_mesh().shape(), placed(x), placed(w));
  const DTensor left = co_await x.redistribute(rule.operands[0], at);
  const DTensor right = co_await w.redistribute(rule.operands[1], at);
  const Shape shape = with_extent(x.shape(), x.shape().rank() - 1, w.shape()[1]);
  const Result result{.like = left, .shape = shape, .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  if (!left.to_local() || !right.to_local()) {
    const Tensor zeros = co_await zeros_of(result, at);
    co_return result.of(zeros);
  }
  const Tensor product = co_await host::matmul({left.local(at), at}, {right.local(at), at});
  co_return result.of(product);
}

Task<DTensor> add(DTensor a, DTensor b, Here at) {
  require_one_mesh(a, b, "add", at);
  const ShardingRule rule = pointwise_rule(placed(a), placed(b));
  const DTensor left = co_await a.redistribute(rule.operands[0], at);
  const DTensor right = co_await b.redistribute(rule.operands[1], at);
  const bool row_first = a.shape().elements() < b.shape().elements();
  const DTensor& wide = row_first ? right : left;
  const Result result{.like = wide, .shape = wide.shape(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor sum = co_await host::add({left.local(at), at}, {right.local(at), at});
  co_return result.of(sum);
}

Task<DTensor> relu(DTensor x, Here at) { return on_parts(x, elementwise_rule(placed(x)), host::relu, at); }

Task<DTensor> softmax(DTensor x, Here at) { return on_parts(x, rowwise_rule(placed(x)), host::softmax, at); }

Task<DTensor> layer_norm(DTensor x, DTensor weight, DTensor bias, double eps, Here at) {
  require_one_mesh(x, weight, "layer_norm", at);
  require_one_mesh(x, bias, "layer_norm", at);
  const ShardingRule rule = rowwise_rule(placed(x));
  const Placements everywhere(rule.result.size(), Replicate{});
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const DTensor scale = co_await weight.redistribute(everywhere, at);
  const DTensor shift = co_await bias.redistribute(everywhere, at);
  const Result result{.like = from, .shape = x.shape(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor local =
      co_await host::layer_norm({from.local(at), at}, {scale.local(at), at}, {shift.local(at), at}, eps);
  co_return result.of(local);
}

}  // namespace kbsim::host::dtensor
