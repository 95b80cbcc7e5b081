#include "kbsim/llm/llm_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;

void require_positions(const LlmProblem& problem) {
  const std::int64_t most = most_positions(problem.model);
  if (most == 0 || problem.capacity() <= most) return;
  const bool fills = !problem.has(Phase::decode) || problem.has(Phase::prefill);
  const std::int64_t asked = fills ? problem.prompt : problem.decode_context();
  throw UsageError{fmt::format("--{} {}: {} of a sequence, and the model has {} (max_position_embeddings)",
                               fills                      ? "prompt"
                               : problem.contexts.empty() ? "context"
                                                          : "contexts",
                               asked, counted(problem.capacity(), "position"), most)};
}

void require_overlap(const LlmProblem& problem) {
  if (problem.overlap.empty()) return;
  const std::string& first = *problem.overlap.begin();
  if (problem.division.tp == 1)
    throw UsageError{fmt::format(
        "--mapping: overlap {}: --tp is 1, so there is no sum over packages that could overlap", first)};
  if (problem.division.sequence_parallel)
    throw Unsupported{fmt::format(
        "--mapping: overlap {}: with --sequence-parallel, sums over packages don't overlap yet", first)};
  if (problem.sums_once() && problem.overlap.contains("output"))
    throw UsageError{
        "--mapping: overlap output: the MLP is beside attention, so down has the sum of both (overlap: "
        "[down])"};
}

}  // namespace

std::int64_t most_positions(const ModelConfig& model) {
  if (model.positions == models::Positions::learned) return model.position_rows - model.first_position_row;
  return model.max_positions;
}

bool LlmProblem::sums_once() const {
  return division.tp > 1 && model.mlp_input != models::MlpInput::attention_sum;
}

const std::string& LlmProblem::mapping_of(const std::string& product) const {
  const auto found = overrules.find(product);
  return found == overrules.end() ? mapping : found->second;
}

bool LlmProblem::has(Phase phase) const { return std::ranges::find(phases, phase) != phases.end(); }

std::int64_t LlmProblem::rows(Phase phase) const {
  switch (phase) {
    case Phase::prefill: return prompt * batch;
    case Phase::mixed: return prompt + batch;
    case Phase::decode: break;
  }
  return batch;
}

LlmProblem LlmProblem::part(int number) const {
  LlmProblem one = *this;
  one.batch = batch / micro_batches;
  one.micro_batches = 1;
  if (contexts.empty()) return one;
  const auto first = contexts.begin() + number * one.batch;
  one.contexts = {first, first + one.batch};
  return one;
}

LlmProblem::RowPlace LlmProblem::row_place(Phase phase, std::int64_t row) const {
  if (phase == Phase::prefill) return {row / prompt, row % prompt};
  if (phase == Phase::decode) return {row, 0};
  return row < prompt ? RowPlace{0, row} : RowPlace{row - prompt + 1, 0};
}

std::int64_t LlmProblem::context_of(Phase phase, std::int64_t sequence) const {
  if (phase == Phase::prefill || (phase == Phase::mixed && sequence == 0)) return before;
  if (has(Phase::prefill)) return before + prompt;
  const std::int64_t decoded = phase == Phase::mixed ? sequence - 1 : sequence;
  return contexts.empty() ? context : contexts.at(static_cast<std::size_t>(decoded));
}

std::int64_t LlmProblem::decode_context() const {
  if (has(Phase::prefill)) return before + prompt;
  return contexts.empty() ? context : *std::ranges::max_element(contexts);
}

std::int64_t LlmProblem::capacity() const {
  const bool fills = has(Phase::prefill) || has(Phase::mixed);
  const bool decodes = has(Phase::decode) || has(Phase::mixed);
  return std::max(fills ? before + prompt : 0, decodes ? decode_context() + 1 : 0);
}

models::Step LlmProblem::step(Phase phase) const {
  models::Step step;
  for (std::int64_t sequence = 0; sequence < sequences(); ++sequence) {
    const bool many = phase == Phase::prefill || (phase == Phase::mixed && sequence == 0);
    step.sequences.push_back({.rows = many ? prompt : 1, .context = context_of(phase, sequence)});
  }
  return step;
}

void require_supported(const LlmProblem& problem) {
  const DType dtype = problem.model.torch_dtype;
  if (dtype != f16 && dtype != bf16 && dtype != f32)
    throw Unsupported{
        fmt::format("--model: torch_dtype {}: only f16, bf16 and f32 are simulated", to_string(dtype))};
  require_positions(problem);
  require_overlap(problem);
  if (problem.has(Phase::mixed) && problem.micro_batches > 1)
    throw Unsupported{fmt::format("--phase mixed --micro-batches {}: a mixed step in parts isn't simulated",
                                  problem.micro_batches)};
  if (problem.has(Phase::mixed) && problem.division.dp > 1)
    throw Unsupported{fmt::format("--phase mixed --dp {}: a mixed step of several copies isn't simulated",
                                  problem.division.dp)};
}

}  // namespace kbsim::inference
