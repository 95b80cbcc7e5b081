#include "kbsim/host/dtensor/dtensor_operators.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/tensor_operators.hpp"

#include "../tensor_promotion.hpp"
#include "local_results.hpp"
#include "sharding_rules.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = DTensor::Here;

void require_rows(const DTensor& x, std::string_view call, Here at) {
  const bool floats = info(x.dtype()).floating && x.dtype() != f64 && !is_f8(x.dtype());
  require(floats, call, at, fmt::format("got {}, expected f16, bf16 or f32", kbsim::to_string(x.dtype())));
}

void require_parameter(const DTensor& x, const DTensor& row, std::string_view call, Here at) {
  require_one_mesh(x, row, call, at);
  const std::int64_t n = x.shape().rank() == 0 ? 1 : x.shape()[x.shape().rank() - 1];
  require(row.shape() == Shape{n} && row.dtype() == x.dtype(), call, at,
          fmt::format("a parameter is {} {}, expected {} {}", to_string(row.shape()),
                      kbsim::to_string(row.dtype()), to_string(Shape{n}), kbsim::to_string(x.dtype())));
}

void require_factors(const DTensor& x, const DTensor& w, Here at) {
  require_one_mesh(x, w, "matmul", at);
  const int rank = x.shape().rank();
  require(w.shape().rank() == 2 && rank >= 2 && x.shape()[rank - 1] == w.shape()[0], "matmul", at,
          fmt::format("shapes {} and {} can't be multiplied", to_string(x.shape()), to_string(w.shape())));
  require(x.dtype() == w.dtype(), "matmul", at,
          fmt::format("expected mat1 and mat2 to have the same dtype, but got: {} != {}",
                      kbsim::to_string(x.dtype()), kbsim::to_string(w.dtype())));
  require(info(x.dtype()).floating, "matmul", at,
          fmt::format("got {}, expected a floating dtype", kbsim::to_string(x.dtype())));
}

}  // namespace

Task<DTensor> matmul(DTensor x, DTensor w, Here at) {
  require_factors(x, w, at);
  const ShardingRule rule = matmul_rule(x.device_mesh().shape(), placed(x), placed(w));
  const DTensor left = co_await x.redistribute(rule.operands[0], at);
  const DTensor right = co_await w.redistribute(rule.operands[1], at);
  const Shape shape = with_extent(x.shape(), x.shape().rank() - 1, w.shape()[1]);
  const LocalResult result{.like = left, .shape = shape, .dtype = x.dtype(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  if (!left.to_local() || !right.to_local()) {
    const Tensor zeros = co_await filled(result, 0.0, at);
    co_return result.of(zeros);
  }
  const Tensor product = co_await host::matmul({left.local(at), at}, {right.local(at), at});
  co_return result.of(product);
}

Task<DTensor> relu(DTensor x, Here at) {
  require_computable(x, "relu", at);
  require(x.dtype() != DType::boolean, "relu", at, "got bool, expected numbers; cast it");
  const ShardingRule rule = elementwise_rule(placed(x));
  const DTensor y = co_await on_parts(x, rule, host::relu, at);
  co_return y;
}

Task<DTensor> softmax(DTensor x, Here at) {
  require_rows(x, "softmax", at);
  const ShardingRule rule = rowwise_rule(placed(x));
  const DTensor y = co_await on_parts(x, rule, host::softmax, at);
  co_return y;
}

Task<DTensor> layer_norm(DTensor x, DTensor weight, DTensor bias, double eps, Here at) {
  require_rows(x, "layer_norm", at);
  require_parameter(x, weight, "layer_norm", at);
  require_parameter(x, bias, "layer_norm", at);
  const ShardingRule rule = rowwise_rule(placed(x));
  const Placements everywhere(rule.result.size(), Replicate{});
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const DTensor scale = co_await weight.redistribute(everywhere, at);
  const DTensor shift = co_await bias.redistribute(everywhere, at);
  const LocalResult result{.like = from, .shape = x.shape(), .dtype = x.dtype(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor local =
      co_await host::layer_norm({from.local(at), at}, {scale.local(at), at}, {shift.local(at), at}, eps);
  co_return result.of(local);
}

}  // namespace kbsim::host::dtensor
