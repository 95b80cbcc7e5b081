// Models on one cube, or on one PE, of a package.
#include <doctest/doctest.h>

#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::places {
namespace {

Outcome run_on(Place place, const config::MachineSpec& machine, bool timing_only = false) {
  return outcome_of({.model = odd_model(), .prompt = 11, .batch = 2, .on = place}, machine, timing_only);
}

// Bytes that the HBM of a cube has moved are those of the whole package.
std::int64_t least_bytes(const Outcome& outcome, std::size_t step) {
  const models::Work work = table_of(outcome.plan, outcome.run.steps[step]).work;
  return work.weight_bytes + work.cache_read + work.cache_written;
}

}  // namespace

TEST_CASE("llm: a cube, or a PE, has the undivided model's logits") {
  for (const config::MachineSpec& machine : {package(2, 1, 2), package(3, 1, 3), package(2, 2, 4)}) {
    for (const Place place : {Place::pe, Place::cube, Place::package}) {
      CAPTURE(to_string(place));
      CAPTURE(machine.sip.cube_mesh.w);
      const Outcome outcome = run_on(place, machine);
      for (const StepRun& step : outcome.run.steps) {
        CAPTURE(to_string(step.phase));
        CHECK(step.logits.ok);
        CHECK(step.tokens.size() == 2);
      }
    }
  }
}

TEST_CASE("llm: a cube runs as a package of one cube does, and a PE as one of one PE") {
  const auto time = [](const Outcome& outcome, std::size_t step) {
    return table_of(outcome.plan, outcome.run.steps[step]).least;
  };
  const Outcome on_cube = run_on(Place::cube, package(2, 2, 2), true);
  const Outcome one_cube = run_on(Place::package, package(1, 1, 2), true);
  const Outcome on_pe = run_on(Place::pe, package(2, 2, 2), true);
  for (const std::size_t step : {0, 1}) {
    CHECK(time(on_cube, step) == time(one_cube, step));
    CHECK(on_cube.run.steps[step].hbm_bytes == one_cube.run.steps[step].hbm_bytes);
    CHECK(on_pe.run.steps[step].hbm_bytes >= least_bytes(on_pe, step));
    CHECK(on_pe.run.steps[step].time() > on_cube.run.steps[step].time());
  }
}

}  // namespace kbsim::inference::test::places
