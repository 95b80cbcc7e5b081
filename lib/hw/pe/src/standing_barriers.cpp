// PEs that wait in a barrier when no event is left, and what keeps the others from it.
#include "kbsim/hw/pe/standing_barriers.hpp"

#include <algorithm>

#include "kbsim/hw/pe/i_cpu.hpp"

namespace kbsim::hw {
namespace {

struct Standing {
  const ControlJob* launch = nullptr;
  StandingBarrier barrier;
};

// In the order of the first PEs in them: launches have no order of their own.
void add(std::vector<Standing>& all, const ControlJob* launch, std::uint32_t number, PeCoord pe) {
  const auto same = [&](const Standing& one) { return one.launch == launch && one.barrier.number == number; };
  auto found = std::ranges::find_if(all, same);
  if (found == all.end())
    found =
        all.insert(all.end(), {.launch = launch, .barrier = {.number = number, .come = {}, .missing = {}}});
  found->barrier.come.push_back(pe);
}

StandingBarrier::Absence absence(const ICpu& cpu, const ControlJob& launch, std::uint32_t number) {
  using enum StandingBarrier::Absence;
  if (cpu.queues(launch)) return queued;
  if (!cpu.runs(launch)) return ended;
  const auto kernel = cpu.kernel();
  return kernel && kernel->peers().stalled_before(number) ? stalled : elsewhere;
}

}  // namespace

std::vector<StandingBarrier> standing_barriers(Machine& machine) {
  const auto cpu_of = [&](PeCoord pe) -> ICpu& { return machine.at<ICpu>(machine.graph().pe(pe).cpu); };
  std::vector<Standing> standing;
  for (const topology::SipNodes& sip : machine.graph().sips()) {
    for (const topology::CubeNodes& cube : sip.cubes) {
      for (const topology::PeNodes& pe : cube.pes) {
        const auto& cpu = machine.at<ICpu>(pe.cpu);
        const auto kernel = cpu.kernel();
        std::vector<std::uint32_t> numbers;
        if (kernel) kernel->peers().add_barriers(numbers);
        for (const std::uint32_t number : numbers)
          add(standing, cpu.order()->job.get(), number, machine.graph().node(pe.cpu).at);
      }
    }
  }
  std::vector<StandingBarrier> barriers;
  for (auto& [launch, barrier] : standing) {
    for (const ControlTarget& target : launch->targets) {
      if (std::ranges::find(barrier.come, target.pe) != barrier.come.end()) continue;
      barrier.missing.push_back(
          {.pe = target.pe, .why = absence(cpu_of(target.pe), *launch, barrier.number)});
    }
    barriers.push_back(std::move(barrier));
  }
  return barriers;
}

}  // namespace kbsim::hw
