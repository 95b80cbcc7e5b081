#pragma once

#include <cstdint>
#include <string_view>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/llm/model_part.hpp"
#include "kbsim/llm/moved_bytes.hpp"

namespace kbsim::inference {

/// A launch of a step, when it ran, and the bytes that its commands moved.
struct OperationSpan {
  std::string_view operation;  // "qkv"
  std::int64_t layer = -1;     // of the whole model; none: beside the layers
  ModelPart part = ModelPart::layers;
  hw::Activity activity;
  MovedBytes moved;
  bool between_packages = false;  // a collective, a send or a receive
};

/// The same launch, that much later.
[[nodiscard]] inline OperationSpan shifted(OperationSpan span, Time by) {
  for (Time* at : {&span.activity.first_start, &span.activity.last_start, &span.activity.last_end}) *at += by;
  return span;
}

}  // namespace kbsim::inference
