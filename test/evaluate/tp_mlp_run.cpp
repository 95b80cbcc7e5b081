// A tensor-parallel MLP: the results of the undivided one, and times that sum to the whole.
#include "kbsim/evaluate/tp_mlp_run.hpp"

#include <doctest/doctest.h>

#include "kbsim/host/session.hpp"

namespace kbsim::evaluate::tp_mlp_run_test {
namespace {

TpMlpRun mlp_of(const TpMlpProblem& problem) {
  config::AlgorithmSpec sums;
  sums.name = sums.kernel = "ring_allreduce";
  sums.collective = config::Collective::all_reduce;
  sums.topology = "ring_1d";
  config::MachineSpec machine;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  host::Session session{machine_of(problem, machine), sums, {.replay_threads = 1}};
  host::World world;
  host::Rank main{session, world, 0};
  TpMlpRun run;
  (void)session.sim().spawn("mlp", main.run(run_tp_mlp(main, problem, sums.name, &run)));
  session.run();
  return run;
}

}  // namespace

TEST_CASE("run_tp_mlp: any ranks, activations and odd sizes give what the undivided MLP gives") {
  for (const int ranks : {1, 2, 3}) {
    for (const Activation activation : {Activation::relu, Activation::silu, Activation::gelu}) {
      const TpMlpRun run =
          mlp_of({.ranks = ranks, .tokens = 5, .hidden = 33, .ffn = 17 * ranks, .activation = activation});
      CAPTURE(ranks);
      CHECK(run.numbers.ok);
      Time sum{};
      for (const ProgramStep& step : run.steps) sum += step.time;
      CHECK(sum == run.time);
      CHECK((ranks > 1) == (run.steps.back().time > Time{}));
    }
  }
}

}  // namespace kbsim::evaluate::tp_mlp_run_test
