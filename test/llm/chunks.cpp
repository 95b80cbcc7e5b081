// Prefills after tokens in the cache, and mixed steps: a chunk of one sequence beside a decode of others.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::chunks {
namespace {

models::ModelConfig windows() {
  models::ModelConfig model = odd_model();
  model.layer_kinds = {{.window = 7}, {.window = 0}};
  return model;
}
models::ModelConfig learned_positions() {
  models::ModelConfig model = odd_model();
  model.positions = models::Positions::learned;
  model.position_rows = 128;
  return model;
}

void check_values(const LlmProblem& problem, const config::MachineSpec& machine) {
  const Outcome outcome = outcome_of(problem, machine);
  REQUIRE(outcome.run.steps.size() == problem.phases.size());
  for (const StepRun& step : outcome.run.steps) {
    CAPTURE(to_string(step.phase));
    CAPTURE(step.logits.max_abs);
    CHECK(step.logits.ok);
    CHECK(step.tokens.size() == static_cast<std::size_t>(problem.sequences()));
  }
}

const models::Work& attention_of(const StepTable& table) {
  const auto row = std::ranges::find(table.rows, "attention", &OperationRow::operation);
  REQUIRE(row != table.rows.end());
  return row->work;
}

}  // namespace

TEST_CASE("llm: logits of a prefill after tokens in the cache, and of the decode after it") {
  for (const models::ModelConfig& model : {odd_model(), odd_model(bf16), windows(), learned_positions()}) {
    for (const std::int64_t before : {1, 16, 53}) {
      for (const std::int64_t prompt : {1, 19}) {
        CAPTURE(before);
        CAPTURE(prompt);
        check_values({.model = model, .prompt = prompt, .before = before, .batch = 2}, package(2, 1, 2));
      }
    }
  }
}

TEST_CASE("llm: logits of mixed steps, with contexts of their own, on one package and divided") {
  models::ModelConfig divisible = odd_model();
  divisible.intermediate_size = 76;
  for (const models::ModelConfig& model : {odd_model(), odd_model(bf16), windows(), learned_positions()}) {
    for (const char* mapping : {"columns", "blocks"}) {
      CAPTURE(mapping);
      check_values({.model = model,
                    .phases = {Phase::mixed},
                    .prompt = 11,
                    .context = 20,
                    .before = 20,
                    .batch = 3,
                    .mapping = mapping},
                   package(2, 1, 2));
      check_values({.model = model,
                    .phases = {Phase::mixed},
                    .prompt = 5,
                    .before = 0,
                    .batch = 4,
                    .contexts = {1, 40, 17, 2},
                    .mapping = mapping},
                   package(1, 1, 4));
    }
  }
  for (const Division& division : {Division{.tp = 2}, {.pp = 2}, {.tp = 2, .pp = 2}}) {
    check_values({.model = divisible,
                  .phases = {Phase::mixed},
                  .prompt = 9,
                  .context = 33,
                  .before = 4,
                  .batch = 2,
                  .division = division},
                 package(2, 1, 2, division.ranks()));
  }
}

TEST_CASE("llm: attention of a chunk sees the tokens before it, that of a mixed step both kinds of rows") {
  const models::ModelConfig model = odd_model();
  const std::int64_t flop_of_key = 4 * model.q_width() * model.num_hidden_layers;
  const auto flop = [&](const LlmProblem& problem) {
    const Outcome outcome = outcome_of(problem, package(2, 1, 2), true);
    return attention_of(table_of(outcome.plan, outcome.run.steps.front())).flop;
  };
  // Row i of 10 after 30 tokens sees 31 + i of them.
  const std::int64_t chunk = 10 * 31 + 45;
  CHECK(flop({.model = model, .phases = {Phase::prefill}, .prompt = 10, .before = 30}) ==
        chunk * flop_of_key);
  CHECK(flop({.model = model,
              .phases = {Phase::mixed},
              .prompt = 10,
              .before = 30,
              .batch = 2,
              .contexts = {7, 50}}) == (chunk + 8 + 51) * flop_of_key);
}

TEST_CASE("llm: equal layers of a mixed step are skipped, with the integers of a run that simulates all") {
  LlmProblem problem{
      .model = odd_model(), .phases = {Phase::mixed}, .prompt = 6, .context = 12, .before = 12, .batch = 2};
  problem.model.num_hidden_layers = 6;
  const Outcome skipped = outcome_of(problem, package(2, 1, 2), true);
  const Outcome simulated = outcome_of(problem, package(2, 1, 2), true, OnRepeat::verify);
  CHECK(skipped.run.segments.repeated > 0);
  CHECK(skipped.run.steps.front().time() == simulated.run.steps.front().time());
  CHECK(skipped.end.counts == simulated.end.counts);
}

TEST_CASE("llm: a mixed step of several copies is refused") {
  const LlmProblem problem{.model = odd_model(), .phases = {Phase::mixed}, .batch = 2, .division = {.dp = 2}};
  CHECK_THROWS_WITH_AS((void)divided_plan_of(problem, package(2, 1, 2, 2)),
                       "--phase mixed --dp 2: a mixed step of several copies isn't simulated", Unsupported);
}

}  // namespace kbsim::inference::test::chunks
