// Limits of operations, by the critical path of a run with causes.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/llm/step_limits.hpp"
#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::operation_limits {
namespace {

struct Explained {
  std::vector<OperationLimit> limits;
  std::vector<OperationSpan> spans;  // without causes, which end with their simulation

  [[nodiscard]] const OperationLimit& of(std::string_view operation) const {
    const auto found = std::ranges::find(limits, operation, &OperationLimit::operation);
    REQUIRE(found != limits.end());
    return *found;
  }
  [[nodiscard]] double span_ns(std::string_view operation) const {
    const auto found = std::ranges::find(spans, operation, &OperationSpan::operation);
    REQUIRE(found != spans.end());
    return to_ns(found->activity.last_end - found->activity.first_start);
  }
};

Explained explained(const LlmProblem& problem, const config::MachineSpec& machine) {
  const ExplainedPart part = explained_part(problem, problem.phases.front());
  const DividedPlan plan = divided_plan_of(part.problem, machine, declared_collectives());
  host::Session session{machine,
                        plan.ranks.front().site.queues,
                        {.simulation = {.causes = true},
                         .replay_threads = 1,
                         .timing_only = true,
                         .ccl = collectives_of(declared_collectives())}};
  host::World world;
  host::Rank main{session, world, 0};
  LlmRun run;
  (void)session.sim().spawn("main", main.run(run_llm(main, &plan, OnRepeat::skip, &run)));
  session.run();
  const StepRun& step = run.steps.front();
  Explained result{.limits = limits_of(part, step, session.machine()), .spans = step.spans};
  for (OperationSpan& span : result.spans) span.activity.why = {};
  return result;
}

LlmProblem decode(std::int64_t batch = 1) {
  return {.model = odd_model(bf16),
          .phases = {Phase::decode},
          .context = 40,
          .batch = batch,
          .mapping = "columns"};
}

config::MachineSpec with_hbm(double gbs) {
  config::MachineSpec machine = package(2, 1, 2);
  machine.cube.xbar_to_hbm = Bandwidth::gbs(gbs);
  return machine;
}
config::MachineSpec with_engines(double macs_per_ns) {
  config::MachineSpec machine = package(2, 1, 2);
  machine.pe.pe_gemm.attrs["macs_per_ns"] = macs_per_ns;
  return machine;
}
config::MachineSpec with_ucie(double gbs) {
  config::MachineSpec machine = package(2, 1, 2);
  machine.sip.ucie_link.bandwidth = Bandwidth::gbs(gbs);
  return machine;
}

// A key's derivative against a run with the key a hundredth larger, of an operation that begins after all
// others have ended.
void check_derivative(double value, config::MachineSpec (*machine)(double), const char* key) {
  constexpr const char* operation = "output";
  CAPTURE(std::string{key});
  const Explained before = explained(decode(8), machine(value));
  const Explained after = explained(decode(8), machine(1.01 * value));
  const OperationLimit& limit = before.of(operation);
  CHECK(limit.key == key);
  CHECK(limit.share > 0.8);
  const double predicted = limit.slope_ns * value * 0.01 / 1.01;  // the time is inverse to a rate
  const double changed = after.span_ns(operation) - before.span_ns(operation);
  CHECK(changed == doctest::Approx(predicted).epsilon(0.03));
}

}  // namespace

TEST_CASE("limits_of: names HBM, engines or UCIe where that is slow, with the derivative of a run again") {
  check_derivative(0.05, with_hbm, "cube.xbar_to_hbm_bw_gbs");
  check_derivative(1.0, with_engines, "pe.pe_gemm.macs_per_ns");
  check_derivative(0.02, with_ucie, "sip.ucie_link.bw_gbs");
}

TEST_CASE("limits_of: the reason names what is slow") {
  const auto reason = [](const config::MachineSpec& machine) {
    return explained(decode(8), machine).of("output").reason;
  };
  CHECK(reason(with_hbm(0.05)).find("memory port") != std::string::npos);
  CHECK(reason(with_engines(1.0)).find("engine") != std::string::npos);
  const std::string ucie = reason(with_ucie(0.02));
  CAPTURE(ucie);
  CHECK((ucie.find("link") != std::string::npos || ucie.find("serialization") != std::string::npos));
}

TEST_CASE("explained_part: a layer of each kind, one step, and a sixteenth of a large vocabulary") {
  LlmProblem problem = decode();
  problem.model.layer_kinds = {{.window = 5}, {.window = 0}, {.window = 5}, {.window = 0, .rotary = false}};
  problem.model.num_hidden_layers = 4;
  problem.model.vocab_size = 128000;
  const ExplainedPart part = explained_part(problem, Phase::decode);
  CHECK(part.layers == std::vector<std::int64_t>{0, 1, 3});
  CHECK(part.problem.model.num_hidden_layers == 3);
  CHECK(part.problem.model.vocab_size == 8000);
  CHECK(part.cut_vocabulary);
  CHECK_FALSE(explained_part(decode(), Phase::decode).cut_vocabulary);
  problem.batch = 4;
  problem.division = {.tp = 2, .pp = 4, .dp = 2};
  const LlmProblem one = explained_part(problem, Phase::decode).problem;
  CHECK(one.batch == 2);
  CHECK(one.division.ranks() == 2);
}

TEST_CASE("limits_of: every operation of a step has a limit, and the head says which part was run") {
  LlmProblem problem = decode();
  problem.model.layer_kinds = {{.window = 5}, {.window = 0}};
  const Explained found = explained(problem, package(2, 1, 2));
  for (const OperationSpan& span : found.spans) {
    const OperationLimit& limit = found.of(span.operation);
    CHECK_FALSE(limit.reason.empty());
    CHECK_FALSE(limit.key.empty());
    CHECK((limit.part.find("of layer") == 0) == (span.layer >= 0));
  }
}

TEST_CASE("limits_of: collectives have limits, and the time between operations, which ends before one") {
  LlmProblem problem = decode();
  problem.model.intermediate_size = 74;
  problem.division.tp = 2;
  config::MachineSpec machine = package(2, 1, 2);
  machine.system.sips.count = 2;
  const Explained found = explained(problem, machine);
  CHECK_FALSE(found.of("all-reduce").reason.empty());
  CHECK_FALSE(found.of("all-reduce").key.empty());
  const OperationLimit& between = found.of(kBetweenOperations);
  CHECK_FALSE(between.reason.empty());
  CHECK((between.part.starts_with("before ") || between.part == "after the last operation"));
  CHECK(&between == &found.limits.back());
}

}  // namespace kbsim::inference::test::operation_limits
