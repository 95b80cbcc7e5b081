// A model on machines with one slow part: the roofline names it, and twice of it halves the time.
// time.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::widened_machines {
namespace {

using Widen = void (*)(config::MachineSpec&, double times);

void widen_hbm(config::MachineSpec& machine, double times) {
  machine.cube.xbar_to_hbm = Bandwidth::gbs(4.0 * times);
}
void widen_engines(config::MachineSpec& machine, double times) {
  machine.pe.pe_gemm.attrs["macs_per_ns"] = 128.0 * times;
}
void widen_ucie(config::MachineSpec& machine, double times) {
  machine.sip.ucie_link.bandwidth = Bandwidth::gbs(0.5 * times);
}
void widen_noc(config::MachineSpec& machine, double times) {
  machine.cube.noc.link = Bandwidth::gbs(0.5 * times);
}

config::MachineSpec machine_with(Widen slow, double times, int pes = 2) {
  config::MachineSpec machine = package(2, 1, pes);
  slow(machine, times);
  return machine;
}

StepTable table_on(const config::MachineSpec& machine) {
  LlmProblem problem{.model = odd_model(bf16), .phases = {Phase::prefill}, .prompt = 128};
  problem.model.hidden_size = 256;
  problem.model.intermediate_size = 512;
  problem.model.num_hidden_layers = 1;
  const Outcome outcome = outcome_of(problem, machine, true);
  return table_of(outcome.plan, outcome.run.steps.front());
}

const OperationRow& down_of(const StepTable& table) {
  return *std::ranges::find(table.rows, "down", &OperationRow::operation);
}

}  // namespace

TEST_CASE("llm: twice of what the roofline names halves an operation, and any other part doesn't change it") {
  struct Part {
    Widen widen;
    Bound bound;
  };
  const std::array parts{Part{widen_hbm, Bound::hbm}, Part{widen_engines, Bound::macs},
                         Part{widen_ucie, Bound::ucie}, Part{widen_noc, Bound::noc}};
  for (const Part& slow : parts) {
    CAPTURE(to_string(slow.bound));
    const StepTable before = table_on(machine_with(slow.widen, 1.0));
    const OperationRow& down = down_of(before);
    CHECK(down.roofline().bound == slow.bound);
    const StepTable after = table_on(machine_with(slow.widen, 2.0));
    const double ratio = to_ns(down_of(after).span) / to_ns(down.span);
    CHECK(ratio >= 0.5);
    CHECK(ratio < 0.65);
    for (const Part& other : parts) {
      if (other.bound == slow.bound) continue;
      CAPTURE(to_string(other.bound));
      config::MachineSpec fast = machine_with(slow.widen, 1.0);
      other.widen(fast, 1000.0);
      CHECK(to_ns(down_of(table_on(fast)).span) > 0.9 * to_ns(down.span));
    }
  }
}

TEST_CASE("llm: twice the PEs halve an operation that HBM or engines bound, and no more") {
  for (const Widen slow : {widen_hbm, widen_engines}) {
    const StepTable before = table_on(machine_with(slow, 1.0));
    const StepTable after = table_on(machine_with(slow, 1.0, 4));
    const double ratio = to_ns(down_of(after).span) / to_ns(down_of(before).span);
    CHECK(ratio >= 0.5);
    CHECK(ratio < 0.65);
  }
}

}  // namespace kbsim::inference::test::widened_machines
