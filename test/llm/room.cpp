// A model that a plan accepts runs: no kernel needs more TCM than the plan has kept for it.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::room {
namespace {

config::MachineSpec with_tcm(config::MachineSpec machine, Bytes tcm) {
  machine.cube.memory.tcm = tcm;
  return machine;
}

bool fits(const LlmProblem& problem, const config::MachineSpec& machine) {
  try {
    (void)plan_of(problem, machine);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// The least TCM that a plan accepts, within 32 KiB.
config::MachineSpec tightest(const LlmProblem& problem, const config::MachineSpec& machine) {
  Bytes low = machine.cube.memory.tcm_scheduler + 512_KiB;
  Bytes high = 256_MiB;
  REQUIRE(fits(problem, with_tcm(machine, high)));
  while (high - low > 32_KiB) {
    const Bytes middle = low + Bytes{(high - low).count() / 2 / 1024 * 1024};
    (fits(problem, with_tcm(machine, middle)) ? high : low) = middle;
  }
  return with_tcm(machine, high);
}

models::ModelConfig wide_model() {
  models::ModelConfig model = odd_model(bf16);
  model.hidden_size = 512;
  model.num_attention_heads = 16;
  model.num_key_value_heads = 4;
  model.head_dim = 64;
  model.intermediate_size = 1024;
  model.num_hidden_layers = 1;
  model.vocab_size = 1000;
  return model;
}

void check_runs(const LlmProblem& problem, const config::MachineSpec& machine) {
  const config::MachineSpec tight = tightest(problem, machine);
  CAPTURE(kbsim::to_string(tight.cube.memory.tcm));
  CHECK_NOTHROW((void)outcome_of(problem, tight, true));
}

}  // namespace

TEST_CASE("llm: a model that just fits the TCM runs: long prompts, and several") {
  const LlmProblem one{.model = wide_model(), .phases = {Phase::prefill}, .prompt = 1500};
  const LlmProblem several{.model = wide_model(), .phases = {Phase::prefill}, .prompt = 200, .batch = 7};
  for (const char* mapping : {"columns", "blocks"}) {
    for (LlmProblem problem : {one, several}) {
      problem.mapping = mapping;
      CAPTURE(mapping);
      CAPTURE(problem.prompt);
      check_runs(problem, package(2, 1, 2));
      problem.on = Place::pe;
      check_runs(problem, package(2, 1, 2));
    }
  }
}

TEST_CASE("llm: a model that just fits the TCM runs: many sequences, long contexts, large heads") {
  LlmProblem problem{.model = wide_model(), .phases = {Phase::decode}, .context = 300, .batch = 100};
  check_runs(problem, package(2, 1, 2));
  problem.on = Place::pe;
  check_runs(problem, package(2, 1, 2));
  problem.batch = 6;
  problem.context = 3000;
  problem.model.head_dim = 256;
  problem.model.torch_dtype = f32;
  check_runs(problem, package(1, 1, 1));
}

}  // namespace kbsim::inference::test::room
