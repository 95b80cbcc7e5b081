#pragma once

#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {

/// Tiles that norms and embedding hold at once.
inline constexpr Bytes kOtherTiles = 512_KiB;

/// UsageError for weights, caches or rows of a phase that have no room and too many elements for a plan. It
/// needs no tensors.
void require_least_room(const LlmPlan& plan);
/// UsageError, as below, for activations in TCM. It needs no products: the estimates that choose them may be
/// beyond simulated time for what doesn't fit.
void require_activations_fit(const LlmPlan& plan);

/// Notes the bytes of all tensors. UsageError for a tensor, or for tiles of kernels, without room: what all
/// take, and what would make them fit.
void require_room(LlmPlan& plan);

}  // namespace kbsim::inference
