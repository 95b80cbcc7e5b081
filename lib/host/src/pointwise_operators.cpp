// Operators that work element by element.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"

#include "element_source.hpp"
#include "operator_launch.hpp"
#include "row_broadcast.hpp"
#include "tensor_promotion.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::Block;

// The dtype that an operation computes in; integers are exact. A sum of bools is true unless it is 0.
DType computing(DType result) {
  if (result == DType::boolean) return i32;
  if (!is_floating(result) || result == f64) return result;
  return f32;
}

struct PointwiseCall {
  Pointwise op;
  DType result = f16;
  std::optional<Scalar> number = {};
};

void require_broadcast(const OperatorCall& call) {
  const Shape& a = call.input(0).shape();
  const Shape& b = call.input(1).shape();
  call.require(
      broadcast(a, b).has_value(),
      fmt::format("'{}' is {}, but '{}' is {}: shapes must be equal, or one a row [N] for all rows "
                  "of the other",
                  call.input(0).name(), kbsim::to_string(a), call.input(1).name(), kbsim::to_string(b)));
}

void set_blocks(PointwiseArgs& args, Bytes tcm) {
  using Second = PointwiseArgs::Second;
  const auto dense = [&](const MatrixPart& part) { return part.row_stride == args.cols; };
  const bool y_dense = args.y_is == Second::number || (args.y_is == Second::block && dense(args.y));
  if (dense(args.x) && dense(args.out) && y_dense) {
    args.cols *= std::exchange(args.rows, 1);
    args.x.row_stride = args.y.row_stride = args.out.row_stride = args.cols;
  }
  set_block_size(args, tcm);
}

KernelCall kernel_for(const PointwiseCall& what, const std::vector<ElementSource>& sources,
                      const LocalPart& part, Bytes tcm) {
  PointwiseArgs args{.op = what.op,
                     .x = *sources[0].for_block(part.pe, part.block),
                     .out = part.memory,
                     .rows = part.block.rows,
                     .cols = part.block.cols};
  args.compute = computing(promoted(args.x.at.dtype, what.result));
  if (what.number) {
    args.number = what.number->value;
    args.integer = what.number->integer;
  } else if (sources.size() > 1) {
    args.y = *sources[1].for_block(part.pe, part.block);
    args.y_is = sources[1].row ? PointwiseArgs::Second::row : PointwiseArgs::Second::block;
  }
  set_blocks(args, tcm);
  return kernels().at("pointwise").bind(args);
}

// PyTorch refuses these, too.
void require_not_bool(const OperatorCall& call, Pointwise op, DType result) {
  constexpr std::array kOfNumbers{Pointwise::sub, Pointwise::rsub, Pointwise::neg, Pointwise::abs,
                                  Pointwise::relu};
  call.require(result != DType::boolean || std::ranges::find(kOfNumbers, op) == kOfNumbers.end(),
               fmt::format("'{}' is bool, expected numbers; cast it", call.input(0).name()));
}

// The first input has the result's shape. The second one has the same shape, or is a row.
PendingTensor launch_pointwise(OperatorCall call, const PointwiseCall& what) {
  require_not_bool(call, what.op, what.result);
  const Shape shape = call.input(0).shape();
  const config::MemorySpec& memory = call.input(0).state()->session.spec().cube.memory;
  const Bytes tcm = memory.tcm - memory.tcm_scheduler;
  std::vector<ElementSource> sources;
  std::vector<Placement> placements;
  for (const TensorOperand& input : call.inputs) {
    const Tensor& tensor = input.tensor();
    call.require(!is_f8(tensor.dtype()), fmt::format("'{}' is {}, which is for storage; cast it",
                                                     tensor.name(), kbsim::to_string(tensor.dtype())));
    const bool row = tensor.shape() != shape;
    sources.push_back({call.parts_of(tensor), row});
    if (!row) placements.push_back(placement_of(tensor));
  }
  const auto computable = [&](PeCoord pe, const Block& block) {
    return std::ranges::all_of(
        sources, [&](const ElementSource& source) { return source.for_block(pe, block).has_value(); });
  };
  const auto kernel = [&](const LocalPart& part) { return kernel_for(what, sources, part, tcm); };
  return launch(std::move(call),
                {.shape = shape,
                 .dtype = what.result,
                 .placements = placements,
                 .computable = computable,
                 .kernel = kernel,
                 .remedy = "a PE needs the same elements of both, and all of them of a row; place them alike "
                           "(.to(policy)), or replicate one"});
}

// x op y is y rop x.
struct BinaryRow {
  std::string_view name;
  Pointwise op;
  Pointwise reversed;
};

PendingTensor with_number(const BinaryRow& row, const TensorOperand& x, const Scalar& number, bool reversed,
                          std::source_location at, OperatorOptions options) {
  const DType dtype = promoted(x.tensor().dtype(), number);
  const bool quotient = row.op == Pointwise::div && !is_floating(dtype);
  return launch_pointwise({.name = row.name, .at = at, .inputs = {x}, .options = std::move(options)},
                          {.op = reversed ? row.reversed : row.op,
                           .result = quotient ? f32 : dtype,
                           .number = quotient ? Scalar{number.value, false} : number});
}

PendingTensor binary(const BinaryRow& row, const Operand& a, const Operand& b, OperatorOptions options) {
  if (a.tensor() == nullptr && b.tensor() == nullptr)
    throw UsageError{fmt::format("{}: {} of two numbers", kbsim::to_string(to_place(a.at)), row.name)};
  if (b.tensor() == nullptr)
    return with_number(row, *a.tensor(), b.scalar(), false, a.at, std::move(options));
  if (a.tensor() == nullptr) return with_number(row, *b.tensor(), a.scalar(), true, b.at, std::move(options));
  OperatorCall call{
      .name = row.name, .at = a.at, .inputs = {*a.tensor(), *b.tensor()}, .options = std::move(options)};
  require_broadcast(call);
  const DType dtype = promoted(call.input(0).dtype(), call.input(1).dtype());
  const bool reversed = call.input(0).shape() != call.input(1).shape() &&
                        is_row_of(call.input(0).shape(), call.input(1).shape());
  if (reversed) std::swap(call.inputs[0], call.inputs[1]);
  return launch_pointwise(std::move(call),
                          {.op = reversed ? row.reversed : row.op,
                           .result = row.op == Pointwise::div && !is_floating(dtype) ? f32 : dtype});
}

// `floats`: integers give f32.
PendingTensor unary(std::string_view name, Pointwise op, const TensorOperand& x, OperatorOptions options,
                    bool floats = true) {
  const DType dtype = x.tensor().dtype();
  return launch_pointwise({.name = name, .at = x.at, .inputs = {x}, .options = std::move(options)},
                          {.op = op, .result = floats && !is_floating(dtype) ? f32 : dtype});
}

constexpr BinaryRow kAdd{"add", Pointwise::add, Pointwise::add};
constexpr BinaryRow kSub{"sub", Pointwise::sub, Pointwise::rsub};
constexpr BinaryRow kMul{"mul", Pointwise::mul, Pointwise::mul};
constexpr BinaryRow kDiv{"div", Pointwise::div, Pointwise::rdiv};
constexpr BinaryRow kMaximum{"maximum", Pointwise::maximum, Pointwise::maximum};
constexpr BinaryRow kMinimum{"minimum", Pointwise::minimum, Pointwise::minimum};

}  // namespace

PendingTensor operator+(const Operand& a, const Operand& b) { return binary(kAdd, a, b, {}); }
PendingTensor operator-(const Operand& a, const Operand& b) { return binary(kSub, a, b, {}); }
PendingTensor operator*(const Operand& a, const Operand& b) { return binary(kMul, a, b, {}); }
PendingTensor operator/(const Operand& a, const Operand& b) { return binary(kDiv, a, b, {}); }
PendingTensor operator-(const TensorOperand& x) { return neg(x); }

PendingTensor add(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kAdd, a, b, std::move(o));
}
PendingTensor sub(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kSub, a, b, std::move(o));
}
PendingTensor mul(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kMul, a, b, std::move(o));
}
PendingTensor div(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kDiv, a, b, std::move(o));
}
PendingTensor maximum(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kMaximum, a, b, std::move(o));
}
PendingTensor minimum(const Operand& a, const Operand& b, OperatorOptions o) {
  return binary(kMinimum, a, b, std::move(o));
}

PendingTensor relu(const TensorOperand& x, OperatorOptions o) {
  return unary("relu", Pointwise::relu, x, std::move(o), false);
}
PendingTensor silu(const TensorOperand& x, OperatorOptions o) {
  return unary("silu", Pointwise::silu, x, std::move(o));
}
PendingTensor gelu(const TensorOperand& x, Approximate how, OperatorOptions o) {
  return unary("gelu", how == Approximate::tanh ? Pointwise::gelu_tanh : Pointwise::gelu, x, std::move(o));
}
PendingTensor neg(const TensorOperand& x, OperatorOptions o) {
  return unary("neg", Pointwise::neg, x, std::move(o), false);
}
PendingTensor abs(const TensorOperand& x, OperatorOptions o) {
  return unary("abs", Pointwise::abs, x, std::move(o), false);
}
PendingTensor exp(const TensorOperand& x, OperatorOptions o) {
  return unary("exp", Pointwise::exp, x, std::move(o));
}
PendingTensor log(const TensorOperand& x, OperatorOptions o) {
  return unary("log", Pointwise::log, x, std::move(o));
}
PendingTensor sqrt(const TensorOperand& x, OperatorOptions o) {
  return unary("sqrt", Pointwise::sqrt, x, std::move(o));
}
PendingTensor rsqrt(const TensorOperand& x, OperatorOptions o) {
  return unary("rsqrt", Pointwise::rsqrt, x, std::move(o));
}
PendingTensor sin(const TensorOperand& x, OperatorOptions o) {
  return unary("sin", Pointwise::sin, x, std::move(o));
}
PendingTensor cos(const TensorOperand& x, OperatorOptions o) {
  return unary("cos", Pointwise::cos, x, std::move(o));
}
PendingTensor tanh(const TensorOperand& x, OperatorOptions o) {
  return unary("tanh", Pointwise::tanh, x, std::move(o));
}
PendingTensor sigmoid(const TensorOperand& x, OperatorOptions o) {
  return unary("sigmoid", Pointwise::sigmoid, x, std::move(o));
}

PendingTensor cast(const TensorOperand& x, DType dtype, OperatorOptions o) {
  return launch_pointwise({.name = "cast", .at = x.at, .inputs = {x}, .options = std::move(o)},
                          {.op = Pointwise::cast, .result = dtype});
}

}  // namespace kbsim::host
