#include <utility>

#include "kbsim/host/tensor.hpp"
#include "kbsim/sim/when_all.hpp"

#include "resident.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {

struct Torch::Making {
  std::string_view call;
  Here at;
};

std::shared_ptr<Tensor::State> Torch::allocate(Shape shape, DType dtype, TensorOptions options) {
  const auto state = std::shared_ptr<Tensor::State>{new Tensor::State{.session = session_,
                                                                      .works = works_,
                                                                      .rank = rank_,
                                                                      .sip = device_,
                                                                      .name = std::move(options.name),
                                                                      .shape = shape,
                                                                      .dtype = dtype,
                                                                      .shared = options.shared,
                                                                      .resident = options.resident}};
  state->allocate(options.dp);
  return state;
}

Task<Tensor> Torch::mapped(Tensor tensor, Task<hw::Activity> order) {
  co_await std::move(order);
  co_return tensor;
}

// The contents have their ids by now; they are sent when the tensor is mapped.
Task<Tensor> Torch::filled(Tensor tensor, Task<hw::Activity> order, std::vector<Upload> contents) {
  co_await std::move(order);
  co_await when_all(send(*tensor.state_, std::move(contents)));
  co_return tensor;
}

Work<Tensor> Torch::fill(const std::shared_ptr<Tensor::State>& state, const HostArray& contents,
                         Making making) {
  if (state->resident) {
    state->map_resident();
    place(session_, rank_, state->shards, contents);
    return state->done(making.call, Tensor{state}, making.at);
  }
  Task<hw::Activity> order = state->map();
  return state->start(making.call, filled(Tensor{state}, std::move(order), uploads(*state, contents)),
                      making.at);
}

Work<Tensor> Torch::empty(Shape shape, DType dtype, TensorOptions options, Here at) {
  const auto state = allocate(shape, dtype, std::move(options));
  if (state->resident) {
    state->map_resident();
    return state->done("empty", Tensor{state}, at);
  }
  return state->start("empty", mapped(Tensor{state}, state->map()), at);
}

Work<Tensor> Torch::constant(Shape shape, double value, DType dtype, TensorOptions options, Making making) {
  const auto state = allocate(shape, dtype, std::move(options));
  return fill(
      state,
      session_.has_values() ? host::full(shape, value, dtype) : HostArray::without_numbers(shape, dtype),
      making);
}

Work<Tensor> Torch::full(Shape shape, double value, DType dtype, TensorOptions options, Here at) {
  return constant(shape, value, dtype, std::move(options), {"full", at});
}

Work<Tensor> Torch::zeros(Shape shape, DType dtype, TensorOptions options, Here at) {
  return constant(shape, 0.0, dtype, std::move(options), {"zeros", at});
}

Work<Tensor> Torch::from_host(HostArray contents, TensorOptions options, Here at) {
  const auto state = allocate(contents.shape(), contents.dtype(), std::move(options));
  return fill(state, contents, {"from_host", at});
}

}  // namespace kbsim::host
