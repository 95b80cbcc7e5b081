#include "group_plans.hpp"

#include <algorithm>
#include <iterator>

#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {
namespace {

ccl::Membership membership_of(const ProcessGroup& group, const std::vector<int>& devices,
                              std::vector<PeCoord> pes) {
  ccl::Membership members{.pes = std::move(pes)};
  if (group.number() > 0 || devices != group.members()) members.sips = devices;
  return members;
}

}  // namespace

config::MachineSpec machine_of(const config::MachineSpec& whole, const std::vector<int>& members) {
  if (members == ccl::ranks_by_number(whole)) return whole;
  config::MachineSpec part = whole;
  config::SipsSpec& sips = part.system.sips;
  sips.count = static_cast<int>(members.size());
  sips.topology = config::SipTopology::ring_1d;
  sips.w = sips.h = 0;
  return part;
}

std::vector<ccl::InstallPlan> plan_group(Session& session, ProcessGroup& group,
                                         const std::vector<config::AlgorithmSpec>& algorithms) {
  std::vector<ccl::InstallPlan> all;
  for (const config::AlgorithmSpec& algorithm : algorithms) {
    config::AlgorithmSpec queues = algorithm;
    if (!group.ranks_are_pes()) queues.world_size = 0;
    queues.name = group.set_name(algorithm.name);
    const auto plans = ccl::build_install_plans(queues, group.machine(), session.allocators(),
                                                membership_of(group, group.members(), {}));
    InstalledAlgorithm installed{.spec = algorithm, .queues = queues.name, .participants = {}};
    for (const ccl::InstallPlan& plan : plans)
      std::ranges::transform(plan.pes, std::back_inserter(installed.participants), &ccl::PePlan::pe);
    group.add(std::move(installed));
    std::ranges::copy(plans, std::back_inserter(all));
  }
  ccl::require_disjoint(all);
  return all;
}

std::vector<ccl::InstallPlan> plan_pe(Session& session, const ProcessGroup& group,
                                      config::AlgorithmSpec queues, PeCoord pe,
                                      const std::vector<int>& devices) {
  queues.name = group.set_name(queues.name);
  return ccl::build_install_plans(queues, group.machine(), session.allocators(),
                                  membership_of(group, devices, {pe}));
}

Bytes tcm_left(Session& session, const std::vector<PeCoord>& pes) {
  const config::MemorySpec& memory = session.spec().cube.memory;
  Bytes least = memory.tcm - memory.tcm_scheduler;
  for (const PeCoord& pe : pes) least = std::min(least, session.allocators().pe(pe).tcm.free_bytes());
  return least;
}

}  // namespace kbsim::host
