#pragma once

#include <string>
#include <vector>

#include "kbsim/config/load.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/repeats.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"

namespace kbsim::inference::test {

/// Packages of w x h cubes, of so many PEs each.
[[nodiscard]] inline config::MachineSpec package(int w, int h, int pes, int packages = 1) {
  config::MachineSpec machine;
  machine.system.sips.count = packages;
  machine.sip.cube_mesh = {.w = w, .h = h};
  machine.cube.pe_layout.corners.resize(1);
  machine.cube.pe_layout.pe_per_corner = pes;
  return machine;
}

/// Two layers whose sizes nothing divides.
[[nodiscard]] inline models::ModelConfig odd_model(DType dtype = f32) {
  models::ModelConfig model;
  model.hidden_size = 46;
  model.num_attention_heads = 6;
  model.num_key_value_heads = 2;
  model.head_dim = 10;
  model.intermediate_size = 75;
  model.num_hidden_layers = 2;
  model.vocab_size = 101;
  model.torch_dtype = dtype;
  return model;
}

/// The algorithms of configs/ccl.yaml.
[[nodiscard]] inline const config::CclSpec& declared_collectives() {
  static const config::CclSpec all = config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml");
  return all;
}

struct Outcome {
  DividedPlan plan;
  LlmRun run;
  hw::BorderState end = {};  // of the machine, where it can be read
  std::vector<hw::OrderRecord> orders = {};
};

/// A run of a problem; with values its races are errors.
[[nodiscard]] inline Outcome outcome_of(const LlmProblem& problem, const config::MachineSpec& machine,
                                        bool timing_only = false, OnRepeat on = OnRepeat::skip) {
  Outcome outcome{.plan = divided_plan_of(problem, machine, declared_collectives()), .run = {}};
  host::Session session{machine,
                        outcome.plan.ranks.front().site.queues,
                        {.replay_threads = 1,
                         .races = timing_only ? oplog::RaceMode::off : oplog::RaceMode::error,
                         .timing_only = timing_only,
                         .ccl = collectives_of(declared_collectives())}};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(run_llm(main, &outcome.plan, on, &outcome.run)));
  session.run();
  if (const auto end = hw::Repeats{session.machine()}.border()) outcome.end = *end;
  outcome.orders = hw::host_of(session.machine()).orders();
  return outcome;
}

}  // namespace kbsim::inference::test
