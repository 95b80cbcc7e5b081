// Who stands in a barrier when nothing is left to happen.
#include <algorithm>
#include <map>
#include <tuple>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe_cpu.hpp"
#include "kbsim/tl/barrier.hpp"

namespace kbsim::hw {
namespace {

struct Standing {
  const ControlJob* launch = nullptr;
  std::vector<PeCoord> come;
};

/// Barriers by the first of those that have come, and number.
using Barriers = std::map<std::tuple<PeCoord, std::uint32_t>, Standing>;

void add(Barriers& barriers, PeCoord pe, const ControlJob* launch, std::uint32_t number) {
  for (auto& [key, standing] : barriers) {
    if (standing.launch != launch || std::get<1>(key) != number) continue;
    return standing.come.push_back(pe);
  }
  barriers[{pe, number}] = {.launch = launch, .come = {pe}};
}

}  // namespace

std::vector<std::string> waiting_barriers(Machine& machine) {
  Barriers barriers;
  for (const topology::SipNodes& sip : machine.graph().sips()) {
    for (const topology::CubeNodes& cube : sip.cubes) {
      for (const topology::PeNodes& pe : cube.pes) {
        const auto& cpu = machine.at<PeCpu>(pe.cpu);
        if (const auto number = cpu.barrier()) add(barriers, cpu.node().at, cpu.order()->job.get(), *number);
      }
    }
  }
  std::vector<std::string> lines;
  for (const auto& [key, standing] : barriers) {
    std::vector<PeCoord> missing;
    for (const ControlTarget& target : standing.launch->targets) {
      if (std::ranges::find(standing.come, target.pe) == standing.come.end()) missing.push_back(target.pe);
    }
    lines.push_back(told_of_barrier(std::get<1>(key), standing.come, missing));
  }
  return lines;
}

}  // namespace kbsim::hw
