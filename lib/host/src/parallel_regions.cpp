// Changes between whole tensors on each rank and parts of them.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/tensor_parallel.hpp"

#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using Here = std::source_location;

std::int64_t part_of_extent(const ParallelState& state, std::int64_t extent, std::string_view what, Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  if (extent % ranks == 0) return extent / ranks;
  throw UsageError{fmt::format("{}: {} ({}) must be divisible by TP world size ({})", to_string(to_place(at)),
                               what, extent, ranks)};
}

Shape with_extent(const Shape& shape, int axis, std::int64_t extent) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::ranges::copy(shape.extents(), extents.begin());
  extents.at(static_cast<std::size_t>(axis)) = extent;
  return Shape::of({extents.data(), static_cast<std::size_t>(shape.rank())});
}

// An uninitialized tensor, placed as x.
Work<Tensor> empty_like(const ParallelState& state, const Tensor& x, const Shape& shape, Here at) {
  return state.rank().torch.empty(
      shape, x.dtype(), {.dp = x.state()->dp, .name = x.name(), .mem_kind = x.state()->mem_kind}, at);
}

Shape rows_of(const Tensor& x) {
  const std::int64_t cols = x.shape()[x.shape().rank() - 1];
  return {x.shape().elements() / cols, cols};
}

}  // namespace

Tensor copy_to_tp_region(const ParallelState& state, Tensor x, Here at) {
  (void)state.get_tensor_model_parallel_group(at);
  return x;
}

Task<Tensor> reduce_from_tp_region(ParallelState state, Tensor x, Here at) {
  if (state.get_tensor_model_parallel_world_size(at) == 1) co_return x;
  const Group group = state.get_tensor_model_parallel_group(at);
  const AllReduceOptions options{.op = ReduceOp::sum, .group = group};
  co_await state.rank().dist.all_reduce(x, options, at);
  co_return x;
}

Task<Tensor> scatter_to_tp_region(ParallelState state, Tensor x, Here at) {
  if (state.get_tensor_model_parallel_world_size(at) == 1) co_return x;
  const int last = x.shape().rank() - 1;
  const std::int64_t part = part_of_extent(state, x.shape()[last], "the last dimension", at);
  const std::int64_t first = part * state.get_tensor_model_parallel_rank(at);
  const PendingTensor mine = cast({x.slice(last, {first, first + part}, at), at}, x.dtype());
  const Tensor result = co_await mine;
  co_return result;
}

Task<Tensor> gather_from_tp_region(ParallelState state, Tensor x, Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  if (ranks == 1) co_return x;
  const Shape matrix = rows_of(x);
  const std::int64_t rows = matrix[0];
  const std::int64_t cols = matrix[1];
  const Tensor parts = co_await empty_like(state, x, {ranks * rows, cols}, at);
  const Tensor whole =
      co_await empty_like(state, x, with_extent(x.shape(), x.shape().rank() - 1, ranks * cols), at);
  const CollectiveOptions options{.group = state.get_tensor_model_parallel_group(at)};
  co_await state.rank().dist.all_gather_into_tensor(parts, x.view(matrix, at), options, at);
  const Tensor side_by_side = whole.view({rows, ranks * cols}, at);
  std::vector<PendingTensor> copies;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const OperatorOptions into{.out = side_by_side.slice(1, {rank * cols, (rank + 1) * cols}, at)};
    copies.push_back(cast({parts.slice(0, {rank * rows, (rank + 1) * rows}, at), at}, x.dtype(), into));
  }
  for (const PendingTensor& copy : copies) co_await copy;
  co_return whole;
}

Task<Tensor> gather_from_sequence_region(ParallelState state, Tensor x, Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  if (ranks == 1) co_return x;
  const Tensor whole = co_await empty_like(state, x, with_extent(x.shape(), 0, ranks * x.shape()[0]), at);
  const CollectiveOptions options{.group = state.get_tensor_model_parallel_group(at)};
  co_await state.rank().dist.all_gather_into_tensor(whole, x, options, at);
  co_return whole;
}

Task<Tensor> reduce_scatter_to_sequence_region(ParallelState state, Tensor x, Here at) {
  if (state.get_tensor_model_parallel_world_size(at) == 1) co_return x;
  const std::int64_t rows = part_of_extent(state, x.shape()[0], "the first dimension", at);
  const Tensor part = co_await empty_like(state, x, with_extent(x.shape(), 0, rows), at);
  const AllReduceOptions options{.op = ReduceOp::sum, .group = state.get_tensor_model_parallel_group(at)};
  co_await state.rank().dist.reduce_scatter_tensor(part, x, options, at);
  co_return part;
}

}  // namespace kbsim::host
