#include "package_queues.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
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

void require_slots(const config::CclSettings& queues, const std::string& name, DType dtype) {
  if (queues.slot_size < Bytes{itemsize(dtype)})
    throw UsageError{fmt::format(
        "ccl: a slot of {} (slot_size of {}) holds no element of {}; ccl.defaults.slot_size={} or more, or "
        "that of the algorithm, does",
        to_string(queues.slot_size), name, to_string(dtype), itemsize(dtype))};
}

ccl::RingBytes most_of(Collective which, const config::MachineSpec& group, const config::CclSpec& ccl,
                       DType dtype) {
  ccl::RingBytes most;
  for (const ccl::Candidate& one : ccl::candidates(ccl, group, which, 0_B)) {
    require_slots(one.algorithm, one.algorithm.name, dtype);
    const ccl::RingBytes rings = ccl::ring_bytes(one.algorithm, group);
    most = {.tcm = std::max(most.tcm, rings.tcm),
            .hbm = std::max(most.hbm, rings.hbm),
            .sram = std::max(most.sram, rings.sram)};
  }
  return most;
}

void add(ccl::RingBytes& sum, const ccl::RingBytes& more, std::int64_t times) {
  sum.tcm += more.tcm * times;
  sum.hbm += more.hbm * times;
  sum.sram += more.sram * times;
}

void require_sram(const ccl::RingBytes& rings, Bytes sram) {
  if (rings.sram <= sram) return;
  throw UsageError{fmt::format(
      "queues between packages take {} of a cube's SRAM, {}; fewer or smaller slots (n_slots, slot_size of "
      "the algorithms) or --buffer-kind tcm make them fit",
      to_string(rings.sram), to_string(sram))};
}

}  // namespace

ccl::RingBytes queues_between(const RankShare& share, const config::MachineSpec& machine,
                              const config::CclSpec& ccl) {
  const Division& division = share.division;
  std::vector<Collective> used;
  const std::size_t sums = share.problem.sums_once() ? 1 : 2;
  if (division.tp > 1 && share.problem.overlap.size() < sums) used.push_back(Collective::all_reduce);
  if (share.divides_rows()) used = {Collective::reduce_scatter, Collective::all_gather};
  const DType dtype = share.problem.model.torch_dtype;
  ccl::RingBytes sum;
  for (const Collective which : used)
    add(sum, most_of(which, ring_of(machine, division.tp), ccl, dtype), std::ssize(share.problem.phases));
  if (division.pp > 1) {
    require_slots(ccl.defaults, "defaults", dtype);
    config::AlgorithmSpec messages;
    static_cast<config::CclSettings&>(messages) = ccl.defaults;
    messages.topology = "all_pairs";
    add(sum, ccl::ring_bytes(messages, ring_of(machine, division.pp)), 1);
  }
  require_sram(sum, machine.cube.memory.sram);
  return sum;
}

}  // namespace kbsim::inference
