// The choice of one of two operands, element by element.
#include <algorithm>
#include <array>
#include <optional>

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

DType dtype_of(const Operand& x, const Operand& y) {
  const TensorOperand* const a = x.tensor();
  const TensorOperand* const b = y.tensor();
  if (a != nullptr && b != nullptr) return promoted(a->tensor().dtype(), b->tensor().dtype());
  if (a != nullptr) return promoted(a->tensor().dtype(), y.scalar());
  if (b != nullptr) return promoted(b->tensor().dtype(), x.scalar());
  return x.scalar().integer && y.scalar().integer ? i64 : f32;
}

Shape shape_of(const OperatorCall& call) {
  Shape shape = call.input(0).shape();
  for (const TensorOperand& input : call.inputs) {
    const std::optional<Shape> both = broadcast(shape, input.tensor().shape());
    call.require(
        both.has_value(),
        fmt::format("'{}' is {}, but '{}' is {}: shapes must be equal, or one a row [N] for all rows "
                    "of the other",
                    call.input(0).name(), kbsim::to_string(call.input(0).shape()), input.tensor().name(),
                    kbsim::to_string(input.tensor().shape())));
    shape = *both;
  }
  return shape;
}

// A tensor of the call, or a number.
struct Choice {
  std::optional<ElementSource> source;
  double number = 0.0;

  [[nodiscard]] bool has(PeCoord pe, const Block& block) const {
    return !source || source->for_block(pe, block).has_value();
  }
  [[nodiscard]] WhereArgs::Input input(const LocalPart& part) const {
    using Is = PointwiseArgs::Second;
    if (!source) return {.number = number};
    return {.is = source->row ? Is::row : Is::block, .part = *source->for_block(part.pe, part.block)};
  }
};

Choice choice_of(const OperatorCall& call, const Operand& operand, const Shape& shape) {
  const TensorOperand* const tensor = operand.tensor();
  if (tensor == nullptr) return {.source = {}, .number = operand.scalar().value};
  return {.source = ElementSource{call.parts_of(tensor->tensor()), tensor->tensor().shape() != shape}};
}

}  // namespace

PendingTensor where(const TensorOperand& condition, const Operand& x, const Operand& y,
                    OperatorOptions options) {
  OperatorCall call{
      .name = "where", .at = condition.at, .inputs = {condition}, .options = std::move(options)};
  for (const Operand* const operand : {&x, &y}) {
    if (operand->tensor() != nullptr) call.inputs.push_back(*operand->tensor());
  }
  call.require(condition.tensor().dtype() == DType::boolean,
               fmt::format("where expected condition to be a boolean tensor, but '{}' is {}",
                           condition.tensor().name(), kbsim::to_string(condition.tensor().dtype())));
  const Shape shape = shape_of(call);
  const DType dtype = dtype_of(x, y);
  call.require(!is_f8(dtype), fmt::format("{} is for storage; cast it", kbsim::to_string(dtype)));
  const std::array choices{choice_of(call, condition, shape), choice_of(call, x, shape),
                           choice_of(call, y, shape)};
  std::vector<Placement> placements;
  for (const TensorOperand& input : call.inputs) {
    if (input.tensor().shape() == shape) placements.push_back(placement_of(input.tensor()));
  }
  const config::MemorySpec& memory = condition.tensor().state()->session.spec().cube.memory;
  const auto kernel = [&, tcm = memory.tcm - memory.tcm_scheduler](const LocalPart& part) {
    WhereArgs args{.condition = choices[0].input(part),
                   .x = choices[1].input(part),
                   .y = choices[2].input(part),
                   .out = part.memory,
                   .rows = part.block.rows,
                   .cols = part.block.cols};
    set_block_size(args, tcm);
    return kernels().at("where").bind(args);
  };
  const auto computable = [&](PeCoord pe, const Block& block) {
    return std::ranges::all_of(choices, [&](const Choice& choice) { return choice.has(pe, block); });
  };
  return launch(std::move(call),
                {.shape = shape,
                 .dtype = dtype,
                 .placements = placements,
                 .computable = computable,
                 .kernel = kernel,
                 .remedy = "a PE needs the same elements of all operands, and all of them of "
                           "a row; place them alike (.to(policy)), or replicate one"});
}

}  // namespace kbsim::host
