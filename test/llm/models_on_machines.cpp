// Whole models on small machines against the undivided model in f64.
#include <doctest/doctest.h>

#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::models_on_machines {
namespace {

// A small model of each kind.
struct NamedModel {
  const char* name;
  models::ModelConfig model;
};

std::vector<NamedModel> small_models() {
  std::vector<NamedModel> all;
  const auto add = [&](const char* name, auto change) {
    models::ModelConfig model = odd_model();
    change(model);
    all.push_back({name, model});
  };
  add("grouped", [](auto& /*model*/) {});
  add("multi-head", [](auto& model) { model.num_key_value_heads = 6; });
  add("multi-query, bf16", [](auto& model) {
    model.num_key_value_heads = 1;
    model.torch_dtype = bf16;
  });
  add("plain MLP, layer norms, biased", [](auto& model) {
    model.hidden_act = models::HiddenAct::gelu_tanh;
    model.gated_mlp = false;
    model.rms_norm = false;
    model.attention_bias = true;
    model.mlp_bias = true;
    model.positions = models::Positions::none;
  });
  add("tied head, f16", [](auto& model) {
    model.tie_word_embeddings = true;
    model.torch_dtype = f16;
  });
  add("windows, some rotary dimensions", [](auto& model) {
    model.layer_kinds = {{.window = 5}, {.window = 0, .rotary = false}};
    model.rope.dims = 6;
  });
  add("MLP beside attention, of its own norm",
      [](auto& model) { model.mlp_input = models::MlpInput::own_norm; });
  add("MLP beside attention, of its norm", [](auto& model) {
    model.mlp_input = models::MlpInput::attention_norm;
    model.final_norm = false;
  });
  return all;
}

void check_values(const LlmProblem& problem, const config::MachineSpec& machine) {
  const Outcome outcome = outcome_of(problem, machine);
  REQUIRE(outcome.run.steps.size() == problem.phases.size());
  for (const StepRun& step : outcome.run.steps) {
    CAPTURE(to_string(step.phase));
    CAPTURE(step.logits.max_abs);
    CHECK(step.logits.ok);
    CHECK(step.tokens.size() == static_cast<std::size_t>(problem.step(step.phase).logit_rows()));
  }
}

}  // namespace

TEST_CASE("llm: logits of small models are the undivided model's, by each mapping, after a prefill") {
  for (const NamedModel& small : small_models()) {
    for (const char* mapping : {"columns", "blocks"}) {
      CAPTURE(small.name);
      CAPTURE(mapping);
      check_values({.model = small.model, .prompt = 21, .mapping = mapping}, package(2, 1, 2));
    }
  }
}

TEST_CASE("llm: a decode of several sequences after a drawn cache, on several grids") {
  for (const config::MachineSpec& machine : {package(1, 1, 1), package(2, 2, 2), package(3, 1, 3)}) {
    for (const char* mapping : {"columns", "blocks"}) {
      CAPTURE(machine.sip.cube_mesh.w);
      CAPTURE(mapping);
      check_values(
          {.model = odd_model(), .phases = {Phase::decode}, .context = 37, .batch = 3, .mapping = mapping},
          machine);
    }
  }
}

TEST_CASE("llm: paths and what is between sum to the step's time, with values and without") {
  const LlmProblem problem{.model = odd_model(), .prompt = 9};
  const Outcome outcome = outcome_of(problem, package(2, 1, 2), true);
  const Outcome valued = outcome_of(problem, package(2, 1, 2));
  for (std::size_t i = 0; i < 2; ++i) {
    const StepRun& step = outcome.run.steps[i];
    const StepTable table = table_of(outcome.plan, step);
    Time sum = table.between;
    for (const OperationRow& row : table.rows) sum += row.path;
    CHECK(sum == step.time());
    CHECK(step.tokens.empty());
    CHECK(table.work == models::step_work(problem.model, problem.step(step.phase), {4, 4, 4}));
    CHECK(step.hbm_bytes >= table.work.weight_bytes + table.work.cache_written);
    CHECK(valued.run.steps[i].hbm_bytes > 0);
  }
}

TEST_CASE("llm: the PEs of a kv head needn't be a power of two") {
  models::ModelConfig model = odd_model();
  for (const int heads : {3, 5}) {
    model.num_attention_heads = heads;
    model.num_key_value_heads = heads;
    check_values({.model = model, .prompt = 9}, package(4, 2, 2));
  }
}

}  // namespace kbsim::inference::test::models_on_machines
