#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {

[[nodiscard]] inline std::int64_t qkv_width(const models::ModelConfig& model) {
  return model.q_width() + 2 * model.kv_width();
}

/// A layer's cache, without its memory.
[[nodiscard]] inline llm::KvCache cache_of(const LlmPlan& plan) {
  const models::ModelConfig& model = plan.problem.model;
  return {.grid = plan.site.grid,
          .keys = {.va = 0, .dtype = model.torch_dtype},
          .values = {.va = 0, .dtype = model.torch_dtype},
          .kv_heads = model.num_key_value_heads,
          .d = model.head_dim,
          .capacity = plan.problem.capacity(),
          .sequences = plan.problem.sequences()};
}

/// An activation, without its memory.
[[nodiscard]] inline llm::Activation activation_of(const llm::PeGrid& grid, std::int64_t rows,
                                                   std::int64_t columns) {
  return {.stride = std::max<std::int64_t>(llm::stride_for(grid, rows, columns), 1),
          .rows = rows,
          .cols = columns};
}

}  // namespace kbsim::inference
