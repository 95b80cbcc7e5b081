// Layers and steps that equal earlier ones are skipped, with the integers that simulating them gives.
#include <string_view>

#include <doctest/doctest.h>

#include "small_models.hpp"

namespace kbsim::inference::test::equal_work {
namespace {

LlmProblem deep(std::int64_t layers) {
  LlmProblem problem{.model = odd_model(), .prompt = 9, .context = 40};
  problem.model.num_hidden_layers = layers;
  return problem;
}

void check_equal(const StepRun& skipped, const StepRun& simulated) {
  CHECK(skipped.time() == simulated.time());
  CHECK(skipped.hbm_bytes == simulated.hbm_bytes);
  REQUIRE(skipped.spans.size() == simulated.spans.size());
  for (std::size_t i = 0; i < skipped.spans.size(); ++i) {
    CAPTURE(i);
    CHECK(skipped.spans[i].operation == simulated.spans[i].operation);
    CHECK(skipped.spans[i].layer == simulated.spans[i].layer);
    CHECK(skipped.spans[i].activity.first_start == simulated.spans[i].activity.first_start);
    CHECK(skipped.spans[i].activity.last_end == simulated.spans[i].activity.last_end);
    CHECK(skipped.spans[i].activity.work.read == simulated.spans[i].activity.work.read);
  }
}

void check_orders(const Outcome& skipped, const Outcome& simulated) {
  REQUIRE(skipped.orders.size() == simulated.orders.size());
  for (std::size_t i = 0; i < skipped.orders.size(); ++i) {
    CAPTURE(i);
    CHECK(skipped.orders[i].kernel_name == simulated.orders[i].kernel_name);
    CHECK(skipped.orders[i].number == simulated.orders[i].number);
    CHECK(skipped.orders[i].sent == simulated.orders[i].sent);
    CHECK(skipped.orders[i].reported == simulated.orders[i].reported);
  }
}

// Returns how many segments were skipped.
std::int64_t check_skipping(const LlmProblem& problem, const config::MachineSpec& machine) {
  const Outcome skipped = outcome_of(problem, machine, true, OnRepeat::skip);
  const Outcome simulated = outcome_of(problem, machine, true, OnRepeat::verify);
  REQUIRE(skipped.run.steps.size() == simulated.run.steps.size());
  for (std::size_t i = 0; i < skipped.run.steps.size(); ++i)
    check_equal(skipped.run.steps[i], simulated.run.steps[i]);
  check_orders(skipped, simulated);
  CHECK(skipped.end.at == simulated.end.at);
  CHECK(skipped.end.counts == simulated.end.counts);
  CHECK(skipped.run.segments.repeated == simulated.run.segments.repeated);
  return skipped.run.segments.repeated;
}

void check_refused(const config::MachineSpec& machine, std::string_view word) {
  const Outcome outcome = outcome_of(deep(6), machine, true);
  CAPTURE(outcome.run.segments.refused);
  CHECK(outcome.run.segments.refused.find(word) != std::string::npos);
  CHECK(outcome.run.segments.repeated == 0);
}

}  // namespace

TEST_CASE(
    "llm: equal layers and steps are skipped, and the run's integers are those of a run that simulates all") {
  for (const config::MachineSpec& machine : {package(1, 1, 1), package(2, 1, 2), package(2, 2, 2)}) {
    for (const char* mapping : {"columns", "blocks"}) {
      LlmProblem problem = deep(7);
      problem.mapping = mapping;
      CHECK(check_skipping(problem, machine) >= 10);  // 5 of each prefill and 10 of both decodes could be
    }
  }
}

TEST_CASE("llm: layers of two kinds are skipped, each like the first of its kind") {
  LlmProblem problem = deep(8);
  for (int layer = 0; layer < 8; ++layer)
    problem.model.layer_kinds.push_back({.window = layer % 2 == 0 ? 4 : 0});
  CHECK(check_skipping(problem, package(2, 1, 2)) >= 10);
}

TEST_CASE(
    "llm: pseudo-channels look at addresses: only layers with equal ones modulo all channels are equal") {
  config::MachineSpec machine = package(2, 1, 1);
  machine.cube.hbm_ctrl.attrs["num_pcs"] = std::int64_t{4};
  CHECK(check_skipping(deep(6), machine) >= 4);  // of the second decode
}

TEST_CASE("llm: nothing is skipped where a part of the machine doesn't state what it depends on") {
  config::MachineSpec banks = package(2, 1, 1);
  banks.cube.hbm_ctrl.impl = "builtin.hbm_banks";
  check_refused(banks, "hbm");
  config::MachineSpec switches = package(2, 1, 1);
  switches.cube.noc.router.impl = "builtin.router_iq";
  check_refused(switches, "switches");
}

TEST_CASE("llm: nothing is skipped where values are computed") {
  const Outcome outcome = outcome_of(deep(4), package(1, 1, 2));
  CHECK(outcome.run.segments.refused == "values are computed");
  CHECK(outcome.run.segments.repeated == 0);
}

}  // namespace kbsim::inference::test::equal_work
