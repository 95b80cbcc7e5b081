#pragma once

#include <string>

#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {

/// Adds a tensor to the plan.
TensorId add_tensor(LlmPlan& plan, PlannedTensor tensor);

/// Activations [rows, columns] in the TCM of all PEs, a row of the host's tensor for each PE.
TensorId add_activation(LlmPlan& plan, const std::string& name, std::int64_t rows, std::int64_t columns);
TensorId add_tcm(LlmPlan& plan, const std::string& name, std::int64_t elements_of_pe, DType dtype);

/// Weights and caches.
void add_layers(LlmPlan& plan);
/// Embedding, head, final norm, tables of positions.
void add_ends(LlmPlan& plan);

}  // namespace kbsim::inference
