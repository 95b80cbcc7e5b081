#include <utility>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/sim/when_all.hpp"

#include "resident.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {

struct Torch::Making {
  std::string_view call;
  Here at;
};

std::shared_ptr<Tensor::State> Torch::allocate(Shape shape, DType dtype, TensorOptions options,
                                               Making making) {
  const auto state = std::shared_ptr<Tensor::State>{new Tensor::State{.session = session_,
                                                                      .works = works_,
                                                                      .rank = rank_,
                                                                      .sip = device_,
                                                                      .name = std::move(options.name),
                                                                      .shape = shape,
                                                                      .dtype = dtype,
                                                                      .dp = options.dp,
                                                                      .mem_kind = options.mem_kind,
                                                                      .shared = options.shared,
                                                                      .resident = options.resident}};
  state->allocate(making.call, making.at);
  return state;
}

Task<Tensor> Torch::mapped(Tensor tensor, Task<hw::Activity> order) {
  co_await std::move(order);
  co_return tensor;
}

// The contents have their ids already; they are sent when the tensor is mapped.
Task<Tensor> Torch::filled(Tensor tensor, Task<hw::Activity> order, std::vector<Upload> contents) {
  co_await std::move(order);
  co_await when_all(send(*tensor.state_, std::move(contents), tensor.state_));
  co_return tensor;
}

Work<Tensor> Torch::fill(const std::shared_ptr<Tensor::State>& state, const HostArray& contents,
                         Making making) {
  if (state->resident) {
    state->map_resident();
    at_line(making.at, [&] { place(session_, rank_, state->shards, contents); });
    return state->done(making.call, Tensor{state}, making.at);
  }
  Task<hw::Activity> order = state->map();
  const Tensor tensor{state};
  auto uploads = at_line(making.at, [&] { return tensor.uploads(contents); });
  return state->start(making.call, filled(tensor, std::move(order), std::move(uploads)), making.at);
}

Work<Tensor> Torch::empty(Shape shape, DType dtype, TensorOptions options, Here at) {
  const auto state = allocate(shape, dtype, std::move(options), {"empty", at});
  if (state->resident) {
    state->map_resident();
    return state->done("empty", Tensor{state}, at);
  }
  return state->start("empty", mapped(Tensor{state}, state->map()), at);
}

Work<Tensor> Torch::generated(Shape shape, DType dtype, const std::function<double(std::int64_t)>& element,
                              TensorOptions options, Making making) {
  const auto state = allocate(shape, dtype, std::move(options), making);
  if (!session_.has_values()) return fill(state, HostArray::without_numbers(shape, dtype), making);
  return fill(state, generate(shape, dtype, element), making);
}

Work<Tensor> Torch::full(Shape shape, double value, DType dtype, TensorOptions options, Here at) {
  return generated(shape, dtype, [value](std::int64_t) { return value; }, std::move(options), {"full", at});
}

Work<Tensor> Torch::zeros(Shape shape, DType dtype, TensorOptions options, Here at) {
  return generated(shape, dtype, [](std::int64_t) { return 0.0; }, std::move(options), {"zeros", at});
}

Work<Tensor> Torch::ones(Shape shape, DType dtype, TensorOptions options, Here at) {
  return generated(shape, dtype, [](std::int64_t) { return 1.0; }, std::move(options), {"ones", at});
}

Work<Tensor> Torch::rand(Shape shape, DType dtype, std::uint64_t seed, TensorOptions options, Here at) {
  Random random{seed};
  return generated(shape, dtype, [&](std::int64_t) { return random.uniform(); }, std::move(options),
                   {"rand", at});
}

Work<Tensor> Torch::arange(std::int64_t end, DType dtype, TensorOptions options, Here at) {
  return generated({end}, dtype, [](std::int64_t i) { return static_cast<double>(i); }, std::move(options),
                   {"arange", at});
}

Work<Tensor> Torch::from_host(HostArray contents, TensorOptions options, Here at) {
  const Making making{"from_host", at};
  const auto state = allocate(contents.shape(), contents.dtype(), std::move(options), making);
  return fill(state, contents, making);
}

}  // namespace kbsim::host
