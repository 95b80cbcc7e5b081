#include "kbsim/llm/llm_problem.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;

struct Gap {
  bool asked;
  std::string_view key;
  std::string_view what;
};

void refuse_first(const auto& gaps) {
  for (const Gap& gap : gaps) {
    if (gap.asked) throw Unsupported{fmt::format("--model: {}: {}", gap.key, gap.what)};
  }
}

void require_layers(const ModelConfig& model) {
  refuse_first(std::to_array<Gap>(
      {{model.torch_dtype != f16 && model.torch_dtype != bf16 && model.torch_dtype != f32, "torch_dtype",
        "weights of fewer than 16 bits aren't simulated"},
       {model.qk_norm, "model_type", "norms of each head of queries and keys aren't simulated"},
       {model.positions == models::Positions::rotary && model.rope.interleaved, "rope_interleaved",
        "rotary positions of neighbouring elements aren't simulated"},
       {model.gated() && model.mlp_bias, "mlp_bias", "biases of a gated MLP aren't simulated"},
       {model.norm_plus_one, "model_type", "norms that multiply by 1 + weight aren't simulated"},
       {!model.norm_weight, "elementwise_affine", "norms without weights aren't simulated"},
       {!model.rms_norm && !model.has_norm_bias(), "norm_bias",
        "layer norms without biases aren't simulated"},
       {model.residual_multiplier != 1.0, "residual_multiplier", "scaled residuals aren't simulated"}}));
}

void require_ends(const ModelConfig& model) {
  refuse_first(std::to_array<Gap>(
      {{model.positions == models::Positions::learned, "model_type", "learned positions aren't simulated"},
       {model.embedding_multiplier != 1.0, "embedding_multiplier", "scaled embeddings aren't simulated"},
       {model.logit_multiplier != 1.0, "logit_scale", "scaled logits aren't simulated"},
       {model.head_bias, "model_type", "a bias of the head isn't simulated"}}));
}

}  // namespace

bool LlmProblem::has(Phase phase) const { return std::ranges::find(phases, phase) != phases.end(); }

std::int64_t LlmProblem::capacity() const {
  const std::int64_t prefilled = has(Phase::prefill) ? prompt : 0;
  return has(Phase::decode) ? decode_context() + 1 : prefilled;
}

models::Step LlmProblem::step(Phase phase) const {
  return phase == Phase::prefill ? models::prefill_step(prompt)
                                 : models::decode_step(decode_context(), batch);
}

void require_supported(const LlmProblem& problem) {
  require_layers(problem.model);
  require_ends(problem.model);
  if (problem.has(Phase::prefill) && problem.batch > problem.division.dp)
    throw Unsupported{fmt::format(
        "--batch {}: a prefill of several sequences isn't simulated (--phase decode)", problem.batch)};
}

}  // namespace kbsim::inference
