// The table of a step: bytes that operations moved, bounds and sums.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/llm/step_limits.hpp"
#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::step_tables {
namespace {

const OperationRow& row_named(const StepTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.rows, name, &OperationRow::operation);
  REQUIRE(found != table.rows.end());
  return *found;
}

MovedBytes moved_in(const StepTable& table) {
  MovedBytes sum;
  for (const OperationRow& row : table.rows) sum += row.moved;
  return sum;
}

struct Ran {
  LlmProblem problem;
  config::MachineSpec machine;
};

std::vector<Ran> some_runs() {
  std::vector<Ran> all;
  for (const char* mapping : {"columns", "blocks"}) {
    all.push_back({{.model = odd_model(), .prompt = 40, .mapping = mapping}, package(2, 1, 2)});
    all.push_back(
        {{.model = odd_model(bf16), .phases = {Phase::decode}, .context = 70, .batch = 5, .mapping = mapping},
         package(2, 2, 4)});
  }
  all.push_back({{.model = odd_model(), .prompt = 17}, package(1, 1, 1)});
  return all;
}

}  // namespace

TEST_CASE("StepTable: bytes of all operations are those that the HBM slices served") {
  for (const Ran& ran : some_runs()) {
    const Outcome outcome = outcome_of(ran.problem, ran.machine, true);
    for (const StepRun& step : outcome.run.steps) {
      CAPTURE(to_string(step.phase));
      const StepTable table = table_of(outcome.plan, step);
      const std::int64_t read_by_host = 4 * ran.problem.step(step.phase).logit_rows();  // the tokens
      CHECK(moved_in(table).hbm() + read_by_host == step.hbm_bytes);
    }
  }
}

TEST_CASE("StepTable: a product without chunks reads each weight once; a cache is written once") {
  const Outcome outcome =
      outcome_of({.model = odd_model(), .prompt = 40, .mapping = "columns"}, package(2, 1, 2), true);
  for (const StepRun& step : outcome.run.steps) {
    const StepTable table = table_of(outcome.plan, step);
    for (const char* product : {"qkv", "output", "gate/up", "down", "head"}) {
      CAPTURE(product);
      const OperationRow& row = row_named(table, product);
      CHECK(row.moved.weights_read == row.work.weight_bytes);
      CHECK(row.reread_bytes() == 0);
    }
    const OperationRow& attention = row_named(table, "attention");
    CHECK(attention.moved.cache_written == attention.work.cache_written);
    CHECK(row_named(table, "input norm").reread_bytes() ==
          2 * 46 * 4);  // both PEs of a cube read it, 2 layers
  }
}

TEST_CASE("StepTable: no operation is faster than its MACs, or its bytes at the rate of what they passed") {
  for (const Ran& ran : some_runs()) {
    const Outcome outcome = outcome_of(ran.problem, ran.machine, true);
    for (const StepRun& step : outcome.run.steps) {
      for (const OperationRow& row : table_of(outcome.plan, step).rows) {
        CAPTURE(row.operation);
        for (const Time least : {row.macs, row.moved.hbm_busy, row.moved.tcm_busy, row.moved.noc_busy,
                                 row.moved.ucie_busy, row.moved.package_busy})
          CHECK(row.span >= least);
        CHECK(row.roofline().time <= row.span);
        CHECK(row.moved.package == 0);
        CHECK((row.moved.ucie == 0) == (row.moved.ucie_busy == Time{}));
      }
    }
  }
}

TEST_CASE("StepTable: only cubes that exchange move bytes over UCIe") {
  const LlmProblem problem{.model = odd_model(), .prompt = 12};
  const auto ucie = [&](const config::MachineSpec& machine) {
    const Outcome outcome = outcome_of(problem, machine, true);
    return moved_in(table_of(outcome.plan, outcome.run.steps.front())).ucie;
  };
  CHECK(ucie(package(1, 1, 4)) == 0);
  CHECK(ucie(package(2, 1, 2)) > 0);
}

TEST_CASE("StepTable: sums of embedding, layers and head are those of the operations") {
  const Outcome outcome = outcome_of({.model = odd_model(), .prompt = 9}, package(2, 1, 2), true);
  const StepRun& step = outcome.run.steps.front();
  const StepTable table = table_of(outcome.plan, step);
  Time path = table.between;
  models::Work work;
  for (const OperationRow& sum : table.sums()) {
    path += sum.path;
    work += sum.work;
  }
  CHECK(table.sums().size() == 3);
  CHECK(path == step.time());
  CHECK(work == table.work);
  CHECK(table.sums()[1].launches == 2 * 7);
}

TEST_CASE("roofline: the longest of the times, latency above twice it") {
  const BoundTimes needed{3_ns, 5_ns, 1_ns, 5_ns, 0_ns};
  CHECK(roofline(needed, 10_ns).bound == Bound::macs);
  CHECK(roofline(needed, 10_ns).time == 5_ns);
  CHECK(roofline(needed, 11_ns).bound == Bound::latency);
  CHECK(roofline({1_ns, 0_ns, 0_ns, 0_ns, 7_ns}, 7_ns).bound == Bound::package);
}

}  // namespace kbsim::inference::test::step_tables
