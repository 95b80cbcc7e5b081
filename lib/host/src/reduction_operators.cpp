// Reductions of a tensor over one dimension or all.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kbsim/base/registry.hpp"

#include "reduction.hpp"
#include "tensor_promotion.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::Block;
using topology::Split;

// The input as [outer, n, inner]; n is reduced.
struct ThreeAxes {
  std::int64_t outer = 1;
  std::int64_t n = 1;
  std::int64_t inner = 1;
};

ThreeAxes axes_of(const Shape& x, std::optional<int> dim) {
  if (!dim) return {.n = x.elements()};
  ThreeAxes axes{.n = x[*dim]};
  for (int i = 0; i < *dim; ++i) axes.outer *= x[i];
  for (int i = *dim + 1; i < x.rank(); ++i) axes.inner *= x[i];
  return axes;
}

topology::DPPolicy transposed(topology::DPPolicy dp) {
  for (Split* const split : {&dp.cube, &dp.pe}) {
    if (*split == Split::row_wise) {
      *split = Split::column_wise;
    } else if (*split == Split::column_wise) {
      *split = Split::row_wise;
    }
  }
  return dp;
}

// The part of the input that gives a block of the result; none unless the PE has it.
std::optional<ReductionArgs> input_for(const LocalParts& x, PeCoord pe, const Block& block,
                                       const Shape& shape, const Shape& result, const ThreeAxes& axes) {
  const Block whole = matrix_of(shape);
  const Block of_result = matrix_of(result);
  ReductionArgs args{.outer = axes.outer, .n = axes.n, .inner = axes.inner};
  const bool all = block == of_result;
  if (all) {
    const auto part = x.at(pe, whole);
    const bool dense = part && (whole.rows == 1 || part->row_stride == whole.cols);
    if (dense) {
      args.x = part->at;
      args.n_stride = axes.inner;
      args.outer_stride = axes.n * axes.inner;
      return args;
    }
  }
  if (axes.inner == 1 && axes.n == whole.cols) {  // rows; their results follow one another
    if (block.rows > 1 && block.cols != of_result.cols) return {};
    args.outer = block.elements();
    const auto part =
        x.at(pe, {.row0 = block.row0 * of_result.cols + block.col0, .rows = args.outer, .cols = whole.cols});
    if (!part) return {};
    args.x = part->at;
    args.n_stride = 1;
    args.outer_stride = part->row_stride;
    return args;
  }
  if (axes.outer == 1 && axes.inner == whole.cols && block.rows == 1) {  // columns
    const auto part = x.at(pe, {.rows = whole.rows, .col0 = block.col0, .cols = block.cols});
    if (!part) return {};
    args.x = part->at;
    args.inner = block.cols;
    args.n_stride = part->row_stride;
    args.outer_stride = args.n * args.n_stride;
    return args;
  }
  return {};
}

void set_blocks(ReductionArgs& args, Bytes tcm) {
  constexpr std::int64_t kBytesAnElement = 64;  // for all tiles of a block, with a margin
  const std::int64_t block = std::clamp<std::int64_t>(tcm.count() / kBytesAnElement, 1, 4096);
  args.block_inner = std::min(args.inner, block);
  args.block_n = std::min(args.n, std::max<std::int64_t>(block / args.block_inner, 1));
  args.block_outer = std::clamp<std::int64_t>(block / (args.block_inner * args.block_n), 1, args.outer);
}

DType computing(DType x, DType result) {
  if (x == f64 || result == f64) return f64;
  if (is_floating(result)) return f32;
  return result == DType::boolean ? i32 : result;
}

PendingTensor reduction(std::string_view name, ReductionArgs::Op op, const TensorOperand& x,
                        ReductionOptions options, double divisor = 1.0) {
  const DType dtype = x.tensor().dtype();
  return launch_reduction(
      {.name = name, .at = x.at, .inputs = {x}, .options = {.out = std::move(options.out)}},
      {.op = op,
       .dim = options.dim,
       .keepdim = options.keepdim,
       .dtype = reduced_dtype(dtype, op),
       .divisor = divisor});
}

void require_floats(std::string_view name, const TensorOperand& x) {
  const DType dtype = x.tensor().dtype();
  const OperatorCall call{.name = name, .at = x.at, .inputs = {x}};
  call.require(is_floating(dtype), fmt::format("'{}' is {}, expected a floating dtype; cast it",
                                               x.tensor().name(), to_string(dtype)));
}

}  // namespace

DType reduced_dtype(DType x, ReductionArgs::Op op) {
  return op == ReductionArgs::Op::sum && !is_floating(x) ? i64 : x;
}

Shape reduced_shape(const Shape& x, std::optional<int> dim, bool keepdim) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::size_t rank = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = !dim || *dim == i;
    if (!reduced || keepdim) extents[rank++] = reduced ? 1 : x[i];
  }
  return Shape::of({extents.data(), rank});
}

PendingTensor launch_reduction(OperatorCall call, const ReductionCall& what) {
  const Tensor& x = call.input(0);
  call.require(!is_f8(x.dtype()),
               fmt::format("'{}' is {}, which is for storage; cast it", x.name(), to_string(x.dtype())));
  const int rank = x.shape().rank();
  std::optional<int> dim = what.dim;
  if (dim) {
    call.require(*dim >= -rank && *dim < rank,
                 fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                             -rank, rank - 1, *dim));
    if (*dim < 0) *dim += rank;
  }
  const ThreeAxes axes = axes_of(x.shape(), dim);
  const Shape shape = x.shape();
  const Shape result = reduced_shape(shape, dim, what.keepdim);
  const LocalParts parts = call.parts_of(x);
  const config::MemorySpec& memory = x.state()->session.spec().cube.memory;
  const auto args_for = [&](PeCoord pe, const Block& block) {
    return input_for(parts, pe, block, shape, result, axes);
  };
  const auto kernel = [&, tcm = memory.tcm - memory.tcm_scheduler](const LocalPart& part) {
    ReductionArgs args = *args_for(part.pe, part.block);
    args.op = what.op;
    args.out = part.memory.at;
    args.divisor = what.divisor;
    args.compute = computing(x.dtype(), what.dtype);
    set_blocks(args, tcm);
    return kernels().at("reduce").bind(args);
  };
  Placement turned = placement_of(x);
  turned.dp = transposed(turned.dp);
  return launch(
      std::move(call),
      {.shape = result,
       .dtype = what.dtype,
       .placements = {placement_of(x), turned},
       .computable = [&](PeCoord pe, const Block& block) { return args_for(pe, block).has_value(); },
       .kernel = kernel,
       .remedy = "a PE needs all elements that its part of the result is made of; place it row_wise "
                 "for the last dimension, column_wise for the first one of a matrix, or on one PE",
       .strided = false});
}

PendingTensor sum(const TensorOperand& x, ReductionOptions options) {
  return reduction("sum", ReductionArgs::Op::sum, x, std::move(options));
}

PendingTensor mean(const TensorOperand& x, ReductionOptions options) {
  require_floats("mean", x);
  const Shape& shape = x.tensor().shape();
  const int rank = shape.rank();
  const bool one = options.dim && *options.dim >= -rank && *options.dim < rank;
  const std::int64_t n = one ? shape[*options.dim + (*options.dim < 0 ? rank : 0)] : shape.elements();
  return reduction("mean", ReductionArgs::Op::sum, x, std::move(options), static_cast<double>(n));
}

PendingTensor norm(const TensorOperand& x, ReductionOptions options) {
  require_floats("norm", x);
  return reduction("norm", ReductionArgs::Op::norm, x, std::move(options));
}

PendingTensor amax(const TensorOperand& x, ReductionOptions options) {
  return reduction("amax", ReductionArgs::Op::max, x, std::move(options));
}

PendingTensor amin(const TensorOperand& x, ReductionOptions options) {
  return reduction("amin", ReductionArgs::Op::min, x, std::move(options));
}

}  // namespace kbsim::host
