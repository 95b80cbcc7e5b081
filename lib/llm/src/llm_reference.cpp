#include "llm_reference.hpp"

#include <algorithm>
#include <cmath>

namespace kbsim::inference {
namespace {

double unit_roundoff(DType dtype) {
  if (dtype == f32) return 0x1p-24;
  return dtype == f16 ? 0x1p-11 : 0x1p-8;
}

}  // namespace

LlmReference::LlmReference(const LlmPlan& plan) : plan_{plan}, model_{plan.problem.model, plan.numbers} {
  const LlmProblem& problem = plan.problem;
  const bool empty = problem.has(Phase::prefill);
  for (std::int64_t sequence = 0; sequence < problem.batch; ++sequence)
    caches_.push_back(empty ? model_.empty_cache() : drawn_cache(sequence));
}

models::ReferenceCache LlmReference::drawn_cache(std::int64_t sequence) const {
  const models::ModelConfig& model = plan_.problem.model;
  models::ReferenceCache cache = model_.empty_cache();
  cache.tokens = plan_.problem.context_of(sequence);
  for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    for (std::int64_t i = 0; i < cache.tokens * model.kv_width(); ++i) {
      const std::int64_t position = i / model.kv_width();
      const std::int64_t column = i % model.kv_width();
      cache.keys[at].push_back(plan_.numbers.cached(0, layer, sequence, position, column));
      cache.values[at].push_back(plan_.numbers.cached(1, layer, sequence, position, column));
    }
  }
  return cache;
}

std::vector<double> LlmReference::logits(Phase phase, const std::vector<std::int64_t>& ids) {
  std::vector<models::ReferenceSequence> batch;
  for (std::size_t sequence = 0; sequence < caches_.size(); ++sequence) {
    models::ReferenceSequence next{.tokens = {}, .cache = &caches_[sequence]};
    if (phase == Phase::decode) next.tokens.push_back(ids[sequence]);
    for (std::int64_t i = 0; phase == Phase::prefill && i < plan_.problem.prompt; ++i)
      next.tokens.push_back(plan_.numbers.token(static_cast<std::int64_t>(sequence), i));
    batch.push_back(std::move(next));
  }
  return model_.logits(batch);
}

replay::Comparison compare_logits(const host::HostArray& logits, const std::vector<double>& expected) {
  double largest = 0.0;
  for (const double logit : expected) largest = std::max(largest, std::abs(logit));
  constexpr double kRoundings = 12.0;
  return replay::compare(logits.bytes(), expected, logits.dtype(),
                         {.abs = kRoundings * unit_roundoff(logits.dtype()) * std::max(largest, 1.0)});
}

}  // namespace kbsim::inference
