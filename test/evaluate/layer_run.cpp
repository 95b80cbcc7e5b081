#include "kbsim/evaluate/layer_run.hpp"

#include <doctest/doctest.h>

#include "kbsim/host/session.hpp"

namespace kbsim::evaluate::test {
namespace {

config::MachineSpec small_package() {
  config::MachineSpec machine;
  machine.system.sips.count = 1;
  machine.sip.cube_mesh = {.w = 2, .h = 1};
  return machine;
}

LayerRun run_of(const LayerProblem& problem, bool values = true) {
  host::Session session{small_package(), {}, {.replay_threads = 1, .timing_only = !values}};
  host::World world;
  host::Rank main{session, world, 0};
  LayerRun run;
  (void)session.sim().spawn("layer", main.run(run_layer(main, problem, &run)));
  session.run();
  return run;
}

}  // namespace

TEST_CASE("Layer: products of all PEs are right, and what they do and move is the closed form") {
  for (const LayerProblem& problem : {LayerProblem{.m = 64, .n = 64, .k = 128},
                                      {.m = 65, .n = 33, .k = 70, .pes = 4},
                                      {.m = 100, .n = 7, .k = 64, .cubes = 2, .pes = 8},
                                      {.m = 3, .n = 200, .k = 40, .cubes = 2, .pes = 8},
                                      {.m = 1, .n = 1, .k = 1, .cubes = 2, .pes = 8}}) {
    CAPTURE(problem.m);
    const LayerRun run = run_of(problem);
    CHECK(run.numbers.ok);
    CHECK(run.macs == problem.m * problem.n * problem.k);
    CHECK(run.stated.macs == run.macs);
    CHECK(run.stated.bytes == 2 * (problem.m * problem.k + problem.k * problem.n + problem.m * problem.n));
    CHECK(run.hbm_bytes == run.stated.hbm_bytes);
    CHECK(run.utilization > 0.0);
    CHECK(run.utilization <= 1.0);
  }
}

TEST_CASE("Layer: it is divided along the longer way, into no more parts than it has") {
  const LayerRun tall = run_of({.m = 512, .n = 32, .k = 64, .cubes = 2, .pes = 8}, false);
  CHECK(tall.division.by_rows);
  CHECK(tall.division.parts() == 16);
  const LayerRun wide = run_of({.m = 32, .n = 512, .k = 64, .cubes = 2, .pes = 8}, false);
  CHECK(!wide.division.by_rows);
  const LayerRun tiny = run_of({.m = 3, .n = 2, .k = 64, .cubes = 2, .pes = 8}, false);
  CHECK(tiny.division.parts() <= 3);
}

TEST_CASE("Layer: sixteen PEs take less time than one") {
  const LayerRun one = run_of({.m = 256, .n = 256, .k = 64}, false);
  const LayerRun all = run_of({.m = 256, .n = 256, .k = 64, .cubes = 2, .pes = 8}, false);
  CHECK(all.time < one.time / 4);
  CHECK(one.macs == all.macs);
}

TEST_CASE("Layer: a single small tile is bound by latency, many by a unit that works most of the time") {
  CHECK(run_of({.m = 1, .n = 1, .k = 1}, false).bound == LayerBound::latency);
  const LayerRun large = run_of({.m = 256, .n = 256, .k = 256}, false);
  CHECK(large.bound != LayerBound::latency);
  CHECK(large.bound_share > 0.5);
  CHECK(large.bound_share <= 1.0);
}

TEST_CASE("Layer: what no memory holds is refused") {
  CHECK_THROWS_AS(require_possible(small_package(), {.m = 1 << 20, .n = 1 << 20, .k = 1}), UsageError);
}

}  // namespace kbsim::evaluate::test
