#pragma once

#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {

/// The most bytes of tiles that a PE holds at once in any phase, estimated: in attention, and in the head.
[[nodiscard]] Bytes tiles_of_attention(const LlmPlan& plan);
[[nodiscard]] Bytes tiles_of_head(const LlmPlan& plan);

}  // namespace kbsim::inference
