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

LayerRun run_of(const LayerProblem& problem, bool values = true,
                const config::MachineSpec& machine = small_package()) {
  host::Session session{machine, {}, {.replay_threads = 1, .timing_only = !values}};
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

TEST_CASE("Layer: a single small tile has the roofline latency, many have that of a resource") {
  CHECK(run_of({.m = 1, .n = 1, .k = 1}, false).roofline.resource == Resource::latency);
  // Operands of 256 rows are read eight times, at 204.8 GB/s; the engine could multiply them faster.
  const LayerRun large = run_of({.m = 256, .n = 256, .k = 256}, false);
  CHECK(large.roofline.resource == Resource::hbm);
  const double memory_ns = static_cast<double>(large.hbm_bytes) / 204.8;
  // Each packet's time is rounded up to a picosecond.
  CHECK(large.roofline.share == doctest::Approx(memory_ns / to_ns(large.time)).epsilon(0.002));
}

TEST_CASE("Layer: an engine slower than its memory has the roofline MACs") {
  config::MachineSpec machine = small_package();
  machine.cube.pe_layout.pe_per_corner = 1;
  machine.pe.pe_gemm.attrs["macs_per_ns"] = 512.0;
  const LayerRun run = run_of({.m = 256, .n = 256, .k = 256}, false, machine);
  CHECK(run.roofline.resource == Resource::macs);
  CHECK(run.roofline.share == doctest::Approx(256.0 * 256 * 256 / 512 / to_ns(run.time)).epsilon(0.0001));
}

TEST_CASE("Layer: padding is the share of a tile that isn't the product's") {
  CHECK(run_of({.m = 64, .n = 64, .k = 64}, false).padding == 0.0);
  CHECK(run_of({.m = 1, .n = 64, .k = 64}, false).padding == doctest::Approx(31.0 / 32));
  CHECK(run_of({.m = 33, .n = 64, .k = 64}, false).padding == doctest::Approx(1 - 33.0 / 64));
}

TEST_CASE("Layer: what no memory holds is refused") {
  CHECK_THROWS_AS(require_possible(small_package(), {.m = 1 << 20, .n = 1 << 20, .k = 1}), UsageError);
}

}  // namespace kbsim::evaluate::test
