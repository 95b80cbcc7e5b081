#include "local_results.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "../tensor_promotion.hpp"

namespace kbsim::host::dtensor {

Placed placed(const DTensor& x) {
  return {.shape = x.shape(), .dtype = x.dtype(), .placements = x.placements()};
}

void require(bool holds, std::string_view call, DTensor::Here at, const std::string& why) {
  if (!holds) throw UsageError{fmt::format("{}: {}: {}", to_string(to_place(at)), call, why)};
}

void require_one_mesh(const DTensor& a, const DTensor& b, std::string_view call, DTensor::Here at) {
  require(a.device_mesh() == b.device_mesh(), call, at, "DTensors of different meshes");
}

void require_computable(const DTensor& x, std::string_view call, DTensor::Here at) {
  require(!is_f8(x.dtype()), call, at,
          fmt::format("{} is for storage; cast it", kbsim::to_string(x.dtype())));
}

Shape LocalResult::local() const {
  const DeviceMesh& mesh = like.device_mesh();
  return local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
}

DTensor LocalResult::of(std::optional<Tensor> tensor) const {
  return DTensor::from_local(like.device_mesh(), placements, shape, dtype, std::move(tensor), like.dp());
}

Task<Tensor> filled(LocalResult result, double value, DTensor::Here at) {
  const DTensor& like = result.like;
  Torch& torch = like.device_mesh().rank().torch;
  const Tensor made =
      co_await torch.full(result.local(), value, result.dtype, {.dp = like.dp(), .name = "of_nothing"}, at);
  co_return made;
}

Task<DTensor> on_parts(DTensor x, ShardingRule rule,
                       PendingTensor (*apply)(const TensorOperand&, OperatorOptions), DTensor::Here at) {
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const LocalResult result{.like = from, .shape = x.shape(), .dtype = x.dtype(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  const Tensor local = co_await apply({from.local(at), at}, {});
  co_return result.of(local);
}

}  // namespace kbsim::host::dtensor
