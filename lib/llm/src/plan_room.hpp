#pragma once

#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {

/// Tiles that norms and embedding hold at once.
inline constexpr Bytes kOtherTiles = 512_KiB;

/// Notes the bytes of all tensors. UsageError for a tensor, or for tiles of kernels, without room: what all
/// take, and what would make them fit.
void require_room(LlmPlan& plan);

}  // namespace kbsim::inference
