// Which divisions of a model are possible.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/llm/rank_share.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;

bool divides(std::int64_t parts, std::int64_t size) { return size % parts == 0; }

// Fewer kv heads than ranks are replicated.
bool divides_kv_heads(std::int64_t tp, std::int64_t heads) {
  return divides(tp, heads) || divides(heads, tp);
}

bool divides_layers(const ModelConfig& model, std::int64_t tp) {
  return divides(tp, model.num_attention_heads) && divides_kv_heads(tp, model.num_key_value_heads) &&
         divides(tp, model.intermediate_size) && tp <= model.vocab_size;
}

std::string possible_tp(const ModelConfig& model) {
  std::vector<std::int64_t> all;
  for (std::int64_t tp = 1; tp <= model.num_attention_heads; ++tp) {
    if (divides_layers(model, tp)) all.push_back(tp);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

void require_layers(const ModelConfig& model, int tp) {
  const auto require = [&](bool holds, std::string_view key, std::int64_t size) {
    if (!holds)
      throw UsageError{
          fmt::format("--tp {}: it doesn't divide {}, {} (possible: {})", tp, key, size, possible_tp(model))};
  };
  require(divides(tp, model.num_attention_heads), "num_attention_heads", model.num_attention_heads);
  require(divides_kv_heads(tp, model.num_key_value_heads), "num_key_value_heads", model.num_key_value_heads);
  require(divides(tp, model.intermediate_size), "intermediate_size", model.intermediate_size);
  require(tp <= model.vocab_size, "vocab_size", model.vocab_size);
}

std::string_view rows_in(Phase phase) {
  switch (phase) {
    case Phase::decode: return "--batch a multiple of";
    case Phase::mixed: return "--prompt and --batch in all a multiple of";
    case Phase::prefill: break;
  }
  return "--prompt a multiple of";
}

// A gather PE by PE joins parts of activations: they are of one size.
void require_rows(const LlmProblem& whole, const llm::PeGrid& grid) {
  const Division& division = whole.division;
  if (!division.sequence_parallel) return;
  if (division.tp == 1)
    throw UsageError{"--sequence-parallel: it divides rows over the packages of --tp, which is 1"};
  if (!divides(grid.cubes(), whole.model.hidden_size))
    throw UsageError{fmt::format("--sequence-parallel: hidden_size, {}, doesn't divide over {}",
                                 whole.model.hidden_size, counted(grid.cubes(), "cube"))};
  const std::int64_t parts = std::int64_t{division.tp} * grid.pes;
  const std::int64_t batches = std::int64_t{division.dp} * whole.micro_batches;
  for (const Phase phase : whole.phases) {
    const std::int64_t rows = share_of(whole, {}).problem.rows_at_once(phase);
    if (divides(parts, rows)) continue;
    throw UsageError{fmt::format(
        "--sequence-parallel: {} of a {} step don't divide over {} of {} per cube ({} {})",
        counted(rows, "row"), to_string(phase), counted(division.tp, "package"), counted(grid.pes, "PE"),
        rows_in(phase), phase == Phase::decode ? parts * batches : parts)};
  }
}

std::vector<std::int64_t> divisors(std::int64_t size) {
  std::vector<std::int64_t> all;
  for (std::int64_t parts = 1; parts <= size; ++parts) {
    if (divides(parts, size)) all.push_back(parts);
  }
  return all;
}

void require_micro_batches(const LlmProblem& whole) {
  const std::int64_t parts = whole.micro_batches;
  if (parts == 1) return;
  if (whole.division.pp == 1)
    throw UsageError{fmt::format(
        "--micro-batches {}: they pass through the stages of --pp, and there is one stage", parts)};
  const std::int64_t sequences = whole.batch / whole.division.dp;
  if (!divides(parts, sequences))
    throw UsageError{
        fmt::format("--micro-batches {}: it doesn't divide the {} of a copy (possible: {}; or --batch {})",
                    parts, counted(sequences, "sequence"), fmt::join(divisors(sequences), ", "),
                    (sequences + parts - 1) / parts * parts * whole.division.dp)};
}

}  // namespace

void require_divisible(const LlmProblem& whole, int packages, const llm::PeGrid& grid) {
  const Division& division = whole.division;
  if (division.ranks() > packages)
    throw UsageError{fmt::format(
        "--tp {} --pp {} --dp {}: they need {}, the machine has {} (--set system.sips.count={})", division.tp,
        division.pp, division.dp, counted(division.ranks(), "package"), packages, division.ranks())};
  require_layers(whole.model, division.tp);
  if (division.pp > whole.model.num_hidden_layers)
    throw UsageError{
        fmt::format("--pp {}: a stage has one layer at least, the model has {} (num_hidden_layers)",
                    division.pp, whole.model.num_hidden_layers)};
  if (!divides(division.dp, whole.batch))
    throw UsageError{fmt::format("--dp {}: it doesn't divide the sequences, --batch {} (--batch {})",
                                 division.dp, whole.batch,
                                 (whole.batch + division.dp - 1) / division.dp * division.dp)};
  require_micro_batches(whole);
  require_rows(whole, grid);
}

}  // namespace kbsim::inference
