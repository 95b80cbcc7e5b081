#include "llm_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kbsim/replay/numbers.hpp"

namespace kbsim::inference {
namespace {

double unit_roundoff(DType dtype) {
  if (dtype == f32) return 0x1p-24;
  return dtype == f16 ? 0x1p-11 : 0x1p-8;
}

// Ids of all sequences.
std::vector<std::int64_t> ids_of(const DividedPlan& plan, const StepBoard& board, std::size_t phase) {
  const Division& division = plan.problem.division;
  const Phase which = plan.problem.phases[phase];
  std::vector<std::int64_t> all;
  for (int copy = 0; copy < division.dp; ++copy) {
    const std::size_t before = all.size();
    for (int tp = 0; tp < division.tp; ++tp) {
      const LlmPlan& rank = plan.at({tp, 0, copy});
      const std::vector<std::int64_t>& ids = board.step(phase, division.rank_of(rank.share.at)).ids;
      all.resize(before + static_cast<std::size_t>(rank.problem.rows(which)));
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int64_t own = rank.share.own_rows(which);
        const auto number = static_cast<std::int64_t>(i);
        const std::int64_t row = number / own * rank.problem.rows_at_once(which) +
                                 rank.share.whole_row(which, rank.site.grid, number % own);
        all[before + static_cast<std::size_t>(row)] = ids[i];
      }
    }
  }
  return all;
}

// Logits of all copies, each row the words of one rank after the other.
std::vector<double> logits_of(const DividedPlan& plan, const StepBoard& board, std::size_t phase) {
  const Division& division = plan.problem.division;
  std::vector<double> all;
  for (int copy = 0; copy < division.dp; ++copy) {
    const LlmPlan& first = plan.at({0, division.pp - 1, copy});
    const std::int64_t rows = first.problem.step(plan.problem.phases[phase]).logit_rows();
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int tp = 0; tp < division.tp; ++tp) {
        const RankPlace at{tp, division.pp - 1, copy};
        const std::vector<double>& own = board.step(phase, division.rank_of(at)).logits;
        const std::int64_t words = plan.at(at).problem.model.vocab_size;
        all.insert(all.end(), own.begin() + row * words, own.begin() + (row + 1) * words);
      }
    }
  }
  return all;
}

// Each layer, and the ends of the model, round so many times along a path, and in sums of any order.
replay::Comparison compared(const std::vector<double>& logits, const std::vector<double>& expected,
                            const models::ModelConfig& model) {
  constexpr double kRoundings = 12.0;
  const DType dtype = model.torch_dtype;
  const double roundings = kRoundings * static_cast<double>(model.num_hidden_layers + 1);
  double largest = 0.0;
  for (const double logit : expected) largest = std::max(largest, std::abs(logit));
  const std::vector<std::byte> bytes = replay::from_doubles(logits, dtype);
  return replay::compare(bytes, expected, dtype,
                         {.abs = roundings * unit_roundoff(dtype) * std::max(largest, 1.0)});
}

}  // namespace

LlmReference::LlmReference(const DividedPlan& plan)
    : problem_{plan.problem},
      numbers_{plan.ranks.front().numbers},
      model_{plan.problem.model, plan.ranks.front().numbers} {
  const LlmProblem& problem = problem_;
  for (std::int64_t sequence = 0; sequence < problem.sequences(); ++sequence)
    caches_.push_back(drawn_cache(sequence));
}

models::ReferenceCache LlmReference::drawn_cache(std::int64_t sequence) const {
  const models::ModelConfig& model = problem_.model;
  models::ReferenceCache cache = model_.empty_cache();
  cache.tokens = problem_.context_of(problem_.phases.front(), sequence);
  for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    for (std::int64_t i = 0; i < cache.tokens * model.kv_width(); ++i) {
      const std::int64_t position = i / model.kv_width();
      const std::int64_t column = i % model.kv_width();
      cache.keys[at].push_back(numbers_.cached(0, layer, sequence, position, column));
      cache.values[at].push_back(numbers_.cached(1, layer, sequence, position, column));
    }
  }
  return cache;
}

std::vector<double> LlmReference::logits(Phase phase, const std::vector<std::int64_t>& ids) {
  const models::Step step = problem_.step(phase);
  std::vector<models::ReferenceSequence> batch;
  for (std::size_t sequence = 0; sequence < caches_.size(); ++sequence) {
    models::ReferenceSequence next{.tokens = {}, .cache = &caches_[sequence]};
    const bool chosen = phase == Phase::decode;
    for (std::int64_t i = 0; i < step.sequences[sequence].rows; ++i)
      next.tokens.push_back(chosen ? ids[sequence] : numbers_.token(static_cast<std::int64_t>(sequence), i));
    batch.push_back(std::move(next));
  }
  return model_.logits(batch);
}

void compare_steps(const DividedPlan& plan, const StepBoard& board, LlmRun* run) {
  LlmReference reference{plan};
  for (std::size_t phase = 0; phase < run->steps.size(); ++phase) {
    StepRun& step = run->steps[phase];
    const std::vector<double> expected = reference.logits(step.phase, ids_of(plan, board, phase));
    step.logits = compared(logits_of(plan, board, phase), expected, plan.problem.model);
  }
}

}  // namespace kbsim::inference
