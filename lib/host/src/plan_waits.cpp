#include "plan_waits.hpp"

#include <map>
#include <string>

#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/tl/wait_ids.hpp"

namespace kbsim::host {
namespace {

// By PE: the wait of its thread block's step. Each queue has one writer and one reader, so a plan gets stuck
// at the same steps in any order of execution.
std::map<PeCoord, std::string> stuck_steps(const ccl::Plan& plan, const config::AlgorithmSpec& algorithm,
                                           const config::MachineSpec& machine) {
  std::map<PeCoord, std::string> all;
  for (const ccl::StuckStep& one : ccl::walk(plan, {algorithm.n_slots, ccl::keeps_slots(algorithm)})) {
    const PeCoord pe = ccl::plan_pes(plan, machine, one.rank)[static_cast<std::size_t>(one.block)];
    all[pe] = describe(plan, one);
  }
  return all;
}

}  // namespace

void name_plan_steps(WaitGraph& graph, const config::AlgorithmSpec& algorithm,
                     const config::MachineSpec& machine) {
  const ccl::Plan* plan = ccl::plan_of(algorithm);
  if (plan == nullptr || plan->ranks() != machine.system.sips.count) return;
  const std::map<PeCoord, std::string> steps = stuck_steps(*plan, algorithm, machine);
  for (WaitGraph::Edge& edge : graph.edges) {
    const auto& waiting = graph.nodes[edge.from].waiting;
    const auto* kernel = waiting ? waiting->who.as<KernelOn>() : nullptr;
    const auto step = kernel == nullptr ? steps.end() : steps.find(kernel->pe);
    if (step != steps.end()) edge.why += "; " + step->second;
  }
}

}  // namespace kbsim::host
