#include "package_queues.hpp"

#include <algorithm>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/ccl/tuner.hpp"

namespace kbsim::inference {
namespace {

using config::Collective;

// Packages of a group, as collectives see them.
config::MachineSpec ring_of(config::MachineSpec machine, int packages) {
  machine.system.sips = {.count = packages, .link = machine.system.sips.link};
  return machine;
}

Bytes most_of(Collective which, const config::MachineSpec& group, const config::CclSpec& ccl) {
  Bytes most;
  for (const ccl::Candidate& one : ccl::candidates(ccl, group, which, 0_B))
    most = std::max(most, ccl::rings_in_tcm(one.algorithm, group));
  return most;
}

}  // namespace

Bytes queues_between(const RankShare& share, const config::MachineSpec& machine, const config::CclSpec& ccl) {
  const Division& division = share.division;
  std::vector<Collective> used;
  const std::size_t sums = share.problem.sums_once() ? 1 : 2;
  if (division.tp > 1 && share.problem.overlap.size() < sums) used.push_back(Collective::all_reduce);
  if (share.divides_rows()) used = {Collective::reduce_scatter, Collective::all_gather};
  Bytes sum;
  for (const Collective which : used)
    sum += most_of(which, ring_of(machine, division.tp), ccl) * std::ssize(share.problem.phases);
  if (division.pp == 1) return sum;
  config::AlgorithmSpec messages;
  static_cast<config::CclSettings&>(messages) = ccl.defaults;
  messages.topology = "all_pairs";
  return sum + ccl::rings_in_tcm(messages, ring_of(machine, division.pp));
}

}  // namespace kbsim::inference
