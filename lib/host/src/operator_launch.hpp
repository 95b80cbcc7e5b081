#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/host/tensor_operators.hpp"
#include "kbsim/tl/kernel.hpp"

#include "local_parts.hpp"

namespace kbsim::host {

/// A program's call of an operator.
struct OperatorCall {
  std::string_view name;  // a literal
  std::source_location at;
  std::vector<TensorOperand> inputs;
  OperatorOptions options = {};

  [[nodiscard]] const Tensor& input(std::size_t i) const { return inputs[i].tensor(); }
  /// "file:line: name: why" as a UsageError; require() unless it holds.
  [[noreturn]] void refuse(const std::string& why) const;
  void require(bool holds, const std::string& why) const {
    if (!holds) refuse(why);
  }
  /// The parts of a tensor. UsageError as LocalParts.
  [[nodiscard]] LocalParts parts_of(const Tensor& tensor) const;
};

/// The place of a tensor in its package.
struct Placement {
  topology::DPPolicy dp = {};
  PeCoord origin = {};
};
[[nodiscard]] Placement placement_of(const Tensor& tensor);

/// A new tensor beside the first input of a call. Its memory is allocated, and isn't mapped yet.
[[nodiscard]] Tensor new_tensor(const OperatorCall& call, const Shape& shape, DType dtype,
                                const Placement& place);
/// UsageError if inputs, or `out`, are on several devices.
void require_one_device(const OperatorCall& call);

/// The properties of an operator's result, and the kernels of its parts.
struct OperatorResult {
  Shape shape;
  DType dtype = f16;
  std::vector<Placement> placements;  // allowed placements, the best first
  /// Whether the PE has all operands of the block.
  std::function<bool(PeCoord pe, const topology::Block& block)> computable;
  /// The kernel that computes a part; it is the only program of its PE.
  std::function<KernelCall(const LocalPart& part)> kernel;
  std::string remedy;   // if no placement fits
  bool strided = true;  // parts may have gaps between their rows
};

/// Makes the result and launches the kernels when all inputs are ready. UsageError as in
/// tensor_operators.hpp.
[[nodiscard]] PendingTensor launch(OperatorCall call, const OperatorResult& result);

}  // namespace kbsim::host
