#pragma once

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/model_part.hpp"

namespace kbsim::inference {

/// An activation that moves between the packages of a divided model: of those that divide a layer, or to the
/// next stage's package and from the previous one's.
struct Transfer {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather, send, receive };
  Kind kind{};
  host::Tensor from;  // or in place, or received
  host::Tensor to;
};

/// A launch on all PEs of the package, or a transfer.
struct StepLaunch {
  std::string_view operation;
  std::int64_t layer = -1;
  ModelPart part = ModelPart::layers;
  std::string kernel;
  std::vector<host::Tensor> tensors;  // the first one has a part on each PE
  std::any args;
  /// It reads what other PEs have in their TCM, and writes there: begins when all launches before have ended,
  /// and none begins before it ends.
  bool alone = false;
  std::optional<Transfer> transfer = {};
};

/// The launches of a phase in their order, one micro-batch after the other. `tensors` are the plan's.
[[nodiscard]] std::vector<StepLaunch> launches_of(const LlmPlan& plan,
                                                  const std::vector<host::Tensor>& tensors, std::size_t phase,
                                                  bool values);

}  // namespace kbsim::inference
