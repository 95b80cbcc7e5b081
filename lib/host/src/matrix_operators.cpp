// Operators on whole rows and columns: products, softmax and normalisations.
#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "kbsim/base/registry.hpp"

#include "operator_launch.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::Block;
using topology::Split;

std::int64_t last_extent(const Shape& shape) { return shape.rank() == 0 ? 1 : shape[shape.rank() - 1]; }

Shape with_last(const Shape& shape, std::int64_t extent) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::ranges::copy(shape.extents(), extents.begin());
  const auto rank = static_cast<std::size_t>(shape.rank());
  extents[rank - 1] = extent;
  return Shape::of({extents.data(), rank});
}

Shape with_added(const Shape& shape, std::int64_t extent) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::ranges::copy(shape.extents(), extents.begin());
  const auto rank = static_cast<std::size_t>(shape.rank());
  extents[rank] = extent;
  return Shape::of({extents.data(), rank + 1});
}

// The split of a product: rows as x, columns as w. None if both are split.
std::optional<Split> of_product(Split x, Split w) {
  if (w == Split::replicate) return x;
  return x == Split::replicate ? std::optional{w} : std::nullopt;
}

std::vector<Placement> placements_of_product(const Placement& x, const Placement& w) {
  const auto cube = of_product(x.dp.cube, w.dp.cube);
  const auto pe = of_product(x.dp.pe, w.dp.pe);
  if (!cube || !pe) return {x, w};
  Placement both = x;
  both.dp.cube = *cube;
  both.dp.pe = *pe;
  return {both, x, w};
}

void require_factors(const OperatorCall& call) {
  const Tensor& x = call.input(0);
  const Tensor& w = call.input(1);
  call.require(x.shape().rank() > 0 && w.shape().rank() == 2,
               fmt::format("'{}' is {} and '{}' {}, expected [.., K] and [K, N]", x.name(),
                           kbsim::to_string(x.shape()), w.name(), kbsim::to_string(w.shape())));
  const std::int64_t k = last_extent(x.shape());
  call.require(k == w.shape()[0], fmt::format("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
                                              x.shape().elements() / k, k, w.shape()[0], w.shape()[1]));
  call.require(x.dtype() == w.dtype(),
               fmt::format("expected mat1 and mat2 to have the same dtype, but got: {} != {}",
                           kbsim::to_string(x.dtype()), kbsim::to_string(w.dtype())));
  call.require(info(x.dtype()).floating, fmt::format("'{}' is {}, expected a floating dtype; cast it",
                                                     x.name(), kbsim::to_string(x.dtype())));
}

void require_row(const OperatorCall& call, const Tensor& row, std::int64_t n) {
  call.require(row.shape().elements() == n && last_extent(row.shape()) == n,
               fmt::format("'{}' is {}, expected [{}]", row.name(), kbsim::to_string(row.shape()), n));
  call.require(row.dtype() == call.input(0).dtype(),
               fmt::format("'{}' is {}, but '{}' is {}", row.name(), kbsim::to_string(row.dtype()),
                           call.input(0).name(), kbsim::to_string(call.input(0).dtype())));
}

// A block whose rows follow one another.
std::optional<MatrixPart> dense(const LocalParts& parts, PeCoord pe, const Block& block) {
  const std::optional<MatrixPart> part = parts.at(pe, block);
  return part && (block.rows == 1 || part->row_stride == block.cols) ? part : std::nullopt;
}

/// The parts of a product's operands.
struct Factors {
  LocalParts x;
  LocalParts w;
  std::optional<LocalParts> bias;
  std::int64_t k;

  // Whole rows of x, whole columns of w and those of the bias. A composite's operands have no gaps.
  [[nodiscard]] std::optional<LinearArgs> for_block(PeCoord pe, const Block& block) const {
    const auto rows = dense(x, pe, {.row0 = block.row0, .rows = block.rows, .cols = k});
    const auto columns = dense(w, pe, {.rows = k, .col0 = block.col0, .cols = block.cols});
    if (!rows || !columns) return {};
    LinearArgs args{.x = rows->at, .w = columns->at, .m = block.rows, .n = block.cols, .k = k};
    if (!bias) return args;
    const auto row = bias->at(pe, {.rows = 1, .col0 = block.col0, .cols = block.cols});
    if (!row) return {};
    args.bias = row->at;
    args.has_bias = true;
    return args;
  }
};

PendingTensor product(OperatorCall call) {
  require_factors(call);
  const Tensor& x = call.input(0);
  const Tensor& w = call.input(1);
  const bool has_bias = call.inputs.size() > 2;
  if (has_bias) require_row(call, call.input(2), w.shape()[1]);
  const Factors factors{.x = call.parts_of(x),
                        .w = call.parts_of(w),
                        .bias = has_bias ? std::optional{call.parts_of(call.input(2))} : std::nullopt,
                        .k = w.shape()[0]};
  OperatorResult result{
      .shape = with_last(x.shape(), w.shape()[1]),
      .dtype = x.dtype(),
      .placements = placements_of_product(placement_of(x), placement_of(w)),
      .computable = [&](PeCoord pe, const Block& block) { return factors.for_block(pe, block).has_value(); },
      .kernel =
          [&](const LocalPart& part) {
            LinearArgs args = *factors.for_block(part.pe, part.block);
            args.out = part.memory.at;
            return kernels().at("linear").bind(args);
          },
      .remedy = fmt::format(
          "a PE needs whole rows of '{}' and whole columns of '{}'; place the first row_wise or replicate "
          "and the second column_wise or replicate (.to(policy)){}",
          x.name(), w.name(), has_bias ? ", and its columns of the bias" : ""),
      .strided = false};
  return launch(std::move(call), result);
}

std::int64_t block_rows(std::int64_t cols) { return std::clamp<std::int64_t>(4096 / cols, 1, 16); }

// f(rows of x, rows of parameters). `parameter` stores a parameter's address in the arguments.
template <class Args>
PendingTensor row_by_row(OperatorCall call, Args args, std::string_view kernel,
                         Ptr (*parameter)(Args&, std::size_t, Ptr)) {
  const Tensor& x = call.input(0);
  const std::int64_t cols = last_extent(x.shape());
  call.require(info(x.dtype()).floating && x.dtype() != f64,
               fmt::format("'{}' is {}, expected f16, bf16 or f32", x.name(), kbsim::to_string(x.dtype())));
  std::vector<LocalParts> parts;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (i > 0) require_row(call, call.input(i), cols);
    parts.push_back(call.parts_of(call.input(i)));
  }
  const auto at = [&](std::size_t i, PeCoord pe, const Block& block) {
    return dense(parts[i], pe, i == 0 ? block : Block{.rows = 1, .cols = cols});
  };
  const auto computable = [&](PeCoord pe, const Block& block) {
    if (block.cols != cols) return false;
    return std::ranges::all_of(std::views::iota(std::size_t{0}, parts.size()),
                               [&](std::size_t i) { return at(i, pe, block).has_value(); });
  };
  const auto bound = [&](const LocalPart& part) {
    Args mine = args;
    mine.x = at(0, part.pe, part.block)->at;
    mine.out = part.memory.at;
    for (std::size_t i = 1; i < parts.size(); ++i) (void)parameter(mine, i, at(i, part.pe, part.block)->at);
    mine.rows = part.block.rows;
    mine.cols = cols;
    mine.block_rows = block_rows(cols);
    return kernels().at(kernel).bind(mine);
  };
  return launch(std::move(call), {.shape = x.shape(),
                                  .dtype = x.dtype(),
                                  .placements = {placement_of(x)},
                                  .computable = computable,
                                  .kernel = bound,
                                  .remedy = "a PE needs whole rows, and all of each parameter; place the "
                                            "first row_wise or replicate and replicate the others",
                                  .strided = false});
}

}  // namespace

PendingTensor matmul(const TensorOperand& x, const TensorOperand& w, OperatorOptions options) {
  return product({.name = "matmul", .at = x.at, .inputs = {x, w}, .options = std::move(options)});
}

PendingTensor linear(const TensorOperand& x, const TensorOperand& w, std::optional<TensorOperand> bias,
                     OperatorOptions options) {
  OperatorCall call{.name = "linear", .at = x.at, .inputs = {x, w}, .options = std::move(options)};
  if (bias) call.inputs.push_back(std::move(*bias));
  return product(std::move(call));
}

PendingTensor softmax(const TensorOperand& x, OperatorOptions options) {
  return row_by_row<SoftmaxArgs>(
      {.name = "softmax", .at = x.at, .inputs = {x}, .options = std::move(options)}, {}, "softmax",
      [](SoftmaxArgs&, std::size_t, Ptr at) { return at; });
}

PendingTensor layer_norm(const TensorOperand& x, const TensorOperand& weight, const TensorOperand& bias,
                         double eps, OperatorOptions options) {
  return row_by_row<LayerNormArgs>(
      {.name = "layer_norm", .at = x.at, .inputs = {x, weight, bias}, .options = std::move(options)},
      {.eps = eps}, "layer_norm",
      [](LayerNormArgs& args, std::size_t i, Ptr at) { return (i == 1 ? args.weight : args.bias) = at; });
}

PendingTensor embedding(const TensorOperand& indices, const TensorOperand& table, VocabRange vocabulary,
                        OperatorOptions options) {
  OperatorCall call{
      .name = "embedding", .at = indices.at, .inputs = {indices, table}, .options = std::move(options)};
  const Tensor& words = call.input(0);
  const Shape rows = call.input(1).shape();
  call.require(
      rows.rank() == 2 && words.shape().rank() < Shape::kMaxRank,
      fmt::format("'{}' is {}, expected [rows, columns]", call.input(1).name(), kbsim::to_string(rows)));
  call.require(words.dtype() == i32,
               fmt::format("'{}' is {}, expected i32", words.name(), kbsim::to_string(words.dtype())));
  const LocalParts of_words = call.parts_of(words);
  const LocalParts of_table = call.parts_of(call.input(1));
  const std::int64_t n = words.shape().elements();
  const auto args_for = [&](PeCoord pe) -> std::optional<EmbeddingArgs> {
    const auto all = dense(of_words, pe, matrix_of(words.shape()));
    const auto found = dense(of_table, pe, matrix_of(rows));
    if (!all || !found) return {};
    return EmbeddingArgs{.indices = all->at,
                         .table = found->at,
                         .n = n,
                         .rows = rows[0],
                         .cols = rows[1],
                         .first = vocabulary.first,
                         .vocabulary = vocabulary.all > 0 ? vocabulary.all : rows[0]};
  };
  const auto kernel = [&](const LocalPart& part) {
    EmbeddingArgs args = *args_for(part.pe);
    args.out = part.memory.at;
    return kernels().at("embedding").bind(args);
  };
  const OperatorResult result{
      .shape = with_added(words.shape(), rows[1]),
      .dtype = call.input(1).dtype(),
      .placements = {placement_of(words), placement_of(call.input(1))},
      .computable = [&](PeCoord pe,
                        const Block& block) { return block.elements() == n * rows[1] && args_for(pe); },
      .kernel = kernel,
      .remedy = "a PE needs all indices and all of the table; replicate both over the same PEs",
      .strided = false};
  return launch(std::move(call), result);
}

PendingTensor rms_norm(const TensorOperand& x, const TensorOperand& weight, double eps,
                       OperatorOptions options) {
  return row_by_row<RmsNormArgs>(
      {.name = "rms_norm", .at = x.at, .inputs = {x, weight}, .options = std::move(options)}, {.eps = eps},
      "rms_norm", [](RmsNormArgs& args, std::size_t, Ptr at) { return args.weight = at; });
}

}  // namespace kbsim::host
