// Layers whose weights are divided among ranks.
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/tensor_parallel.hpp"

namespace kbsim::host {
namespace {

using Here = std::source_location;

// A rank's part [rows, columns] of a matrix.
struct MatrixRange {
  IndexRange rows;
  IndexRange cols;
};

std::int64_t divided(std::int64_t size, int ranks, std::string_view what, Here at) {
  if (size < 1)
    throw UsageError{fmt::format("{}: {} is {}, expected 1 at least", to_string(to_place(at)), what, size)};
  if (size % ranks != 0)
    throw UsageError{fmt::format("{}: {} ({}) must be divisible by TP world size ({})",
                                 to_string(to_place(at)), what, size, ranks)};
  return size / ranks;
}

IndexRange part_of_rank(const ParallelState& state, std::int64_t part, Here at) {
  const std::int64_t first = part * state.get_tensor_model_parallel_rank(at);
  return {first, first + part};
}

void require_contents(const HostArray& contents, const Shape& shape, DType dtype, std::string_view what,
                      Here at) {
  if (contents.shape() == shape && contents.dtype() == dtype) return;
  throw UsageError{fmt::format("{}: {} is {} {}, expected {} {}", to_string(to_place(at)), what,
                               to_string(contents.shape()), to_string(contents.dtype()), to_string(shape),
                               to_string(dtype))};
}

HostArray cut_out(const HostArray& whole, const MatrixRange& part) {
  const Shape shape{part.rows.end - part.rows.begin, part.cols.end - part.cols.begin};
  if (!whole.has_numbers()) return HostArray::without_numbers(shape, whole.dtype());
  const std::int64_t columns = whole.shape()[1];
  const auto size = static_cast<std::int64_t>(itemsize(whole.dtype()));
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(shape.elements() * size));
  for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row) {
    const auto from = whole.bytes().begin() + (row * columns + part.cols.begin) * size;
    bytes.insert(bytes.end(), from, from + shape[1] * size);
  }
  return {shape, whole.dtype(), std::move(bytes)};
}

HostArray as_row(const HostArray& vector) {
  const Shape row{1, vector.shape().elements()};
  if (!vector.has_numbers()) return HostArray::without_numbers(row, vector.dtype());
  return {row, vector.dtype(), vector.bytes()};
}

// A part of a matrix of shape `whole`; zeros if there are no contents.
Work<Tensor> parameter(const ParallelState& state, const std::optional<HostArray>& contents,
                       const Shape& whole, const MatrixRange& part, DType dtype, TensorOptions options,
                       Here at) {
  Torch& torch = state.rank().torch;
  const Shape shape{part.rows.end - part.rows.begin, part.cols.end - part.cols.begin};
  if (!contents) return torch.zeros(shape, dtype, std::move(options), at);
  require_contents(*contents, whole, dtype, options.name, at);
  return torch.from_host(cut_out(*contents, part), std::move(options), at);
}

Task<std::optional<Tensor>> bias_of(ParallelState state, ParallelLinearOptions options, IndexRange part,
                                    std::string name, Here at) {
  if (!options.bias) co_return std::nullopt;
  std::optional<HostArray> row;
  if (options.contents.bias) {
    require_contents(*options.contents.bias, {options.out_features}, options.dtype, name, at);
    row = as_row(*options.contents.bias);
  }
  const TensorOptions where{.dp = options.placement, .name = std::move(name), .resident = options.resident};
  const Tensor bias =
      co_await parameter(state, row, {1, options.out_features}, {{0, 1}, part}, options.dtype, where, at);
  co_return bias.view({part.end - part.begin});
}

TensorOptions place_of(const ParallelLinearOptions& options, std::string name) {
  return {.dp = options.placement, .name = std::move(name), .resident = options.resident};
}

Task<Tensor> product_with(Tensor x, Tensor weight, std::optional<Tensor> bias, Here at) {
  std::optional<TensorOperand> row;
  if (bias) row.emplace(*bias, at);
  const PendingTensor product = linear({x, at}, {weight, at}, row);
  const Tensor y = co_await product;
  co_return y;
}

}  // namespace

ParallelLinear::ParallelLinear(ParallelState state, ParallelLinearOptions options, Tensor weight,
                               std::optional<Tensor> bias)
    : state_{std::move(state)},
      options_{std::move(options)},
      weight_{std::move(weight)},
      bias_{std::move(bias)} {
  options_.contents = {};
}

Task<ColumnParallelLinear> ColumnParallelLinear::make(ParallelState state, ParallelLinearOptions options,
                                                      Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  const std::int64_t columns = divided(options.out_features, ranks, "out_features", at);
  const IndexRange mine = part_of_rank(state, columns, at);
  const Tensor weight = co_await parameter(
      state, options.contents.weight, {options.in_features, options.out_features},
      {{0, options.in_features}, mine}, options.dtype, place_of(options, "column_parallel_weight"), at);
  const std::optional<Tensor> bias = co_await bias_of(state, options, mine, "column_parallel_bias", at);
  co_return ColumnParallelLinear{state, options, weight, bias};
}

Task<Tensor> ColumnParallelLinear::forward(Tensor x, Here at) const {
  if (options_.sequence_parallel) {
    const Tensor rows = co_await gather_from_sequence_region(state_, x, at);
    x = rows;
  }
  const Tensor part = co_await product_with(copy_to_tp_region(state_, x, at), weight_, bias_, at);
  if (!options_.gather_output) co_return part;
  const Tensor whole = co_await gather_from_tp_region(state_, part, at);
  co_return whole;
}

Task<RowParallelLinear> RowParallelLinear::make(ParallelState state, ParallelLinearOptions options, Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  const std::int64_t rows = divided(options.in_features, ranks, "in_features", at);
  const Tensor weight =
      co_await parameter(state, options.contents.weight, {options.in_features, options.out_features},
                         {part_of_rank(state, rows, at), {0, options.out_features}}, options.dtype,
                         place_of(options, "row_parallel_weight"), at);
  const std::optional<Tensor> bias =
      co_await bias_of(state, options, {0, options.out_features}, "row_parallel_bias", at);
  co_return RowParallelLinear{state, options, weight, bias};
}

Task<Tensor> RowParallelLinear::forward(Tensor x, Here at) const {
  if (!options_.input_is_parallel) {
    const Tensor part = co_await scatter_to_tp_region(state_, x, at);
    x = part;
  }
  const Tensor product = co_await product_with(x, weight_, {}, at);
  Tensor sum = product;
  if (options_.sequence_parallel) {
    const Tensor rows = co_await reduce_scatter_to_sequence_region(state_, product, at);
    sum = rows;
  } else {
    const Tensor all = co_await reduce_from_tp_region(state_, product, at);
    sum = all;
  }
  if (!bias_) co_return sum;
  const PendingTensor biased = add({sum, at}, {*bias_, at}, {.out = sum});
  const Tensor result = co_await biased;
  co_return result;
}

VocabParallelEmbedding::VocabParallelEmbedding(ParallelState state, VocabParallelEmbeddingOptions options,
                                               Tensor weight)
    : state_{std::move(state)}, options_{std::move(options)}, weight_{std::move(weight)} {
  options_.weight = {};
}

Task<VocabParallelEmbedding> VocabParallelEmbedding::make(ParallelState state,
                                                          VocabParallelEmbeddingOptions options, Here at) {
  const int ranks = state.get_tensor_model_parallel_world_size(at);
  const std::int64_t rows = divided(options.num_embeddings, ranks, "num_embeddings", at);
  const TensorOptions where{
      .dp = options.placement, .name = "vocab_parallel_weight", .resident = options.resident};
  const Tensor weight = co_await parameter(
      state, options.weight, {options.num_embeddings, options.embedding_dim},
      {part_of_rank(state, rows, at), {0, options.embedding_dim}}, options.dtype, where, at);
  co_return VocabParallelEmbedding{state, options, weight};
}

Task<Tensor> VocabParallelEmbedding::forward(Tensor indices, Here at) const {
  const VocabRange mine{.first = weight_.shape()[0] * state_.get_tensor_model_parallel_rank(at),
                        .all = options_.num_embeddings};
  const PendingTensor found = embedding({indices, at}, {weight_, at}, mine);
  const Tensor rows = co_await found;
  const Tensor all = co_await reduce_from_tp_region(state_, rows, at);
  co_return all;
}

}  // namespace kbsim::host
