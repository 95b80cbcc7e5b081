#include "kbsim/ccl/plans.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/ccl/wiring.hpp"

#include "plan_index.hpp"

namespace kbsim::ccl {
namespace {

using PlanPtr = std::shared_ptr<const Plan>;

// All plans, by the names of their topologies.
std::map<std::string, PlanPtr, std::less<>>& plans() {
  static std::map<std::string, PlanPtr, std::less<>> all;
  return all;
}

int most_blocks(const Plan& plan) {
  std::size_t most = 0;
  for (const auto& blocks : plan.blocks) most = std::max(most, blocks.size());
  return static_cast<int>(most);
}

void require_packages(const Plan& plan, const config::MachineSpec& machine) {
  if (plan.ranks() == machine.system.sips.count) return;
  throw UsageError{fmt::format(
      "{}: the plan is of {}, and the machine has {}; --set "
      "system.sips.count={}",
      plan.file, counted(plan.ranks(), "rank"), counted(machine.system.sips.count, "package"), plan.ranks())};
}

// The wiring of a plan's queues: one end sends, the other receives.
Wiring wire(const Plan& plan, const config::MachineSpec& machine) {
  Wiring wiring;
  std::vector<std::vector<PeCoord>> pes;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    pes.push_back(plan_pes(plan, machine, rank));
    for (const PeCoord& pe : pes.back()) wiring[pe];
  }
  for (const PlanConnection& queue : queues_of(plan).all) {
    const PeCoord from = pes[at(queue.from)][at(queue.sender)];
    const PeCoord to = pes[at(queue.to)][at(queue.receiver)];
    const PlanBlock& sender = plan.blocks[at(queue.from)][at(queue.sender)];
    const PlanBlock& receiver = plan.blocks[at(queue.to)][at(queue.receiver)];
    wiring[from].push_back({.direction = plan_label(sender, true), .peer = to, .flow = Flow::sends});
    wiring[to].push_back({.direction = plan_label(receiver, false), .peer = from, .flow = Flow::receives});
  }
  return wiring;
}

// A file that is read again is the same plan, unless it has changed.
std::string topology_of(const std::string& name, Plan plan) {
  for (int number = 0;; ++number) {
    const std::string topology = number == 0 ? "plan " + name : fmt::format("plan {} ({})", name, number);
    const auto known = plans().find(topology);
    if (known != plans().end() && known->second->same_steps(plan)) return topology;
    if (known != plans().end()) continue;
    const auto kept = std::make_shared<const Plan>(std::move(plan));
    plans().emplace(topology, kept);
    topologies().add(topology,
                     {.doc = "the connections of the plan " + name,
                      .wire = [kept](const config::MachineSpec& machine, const std::vector<PeCoord>&) {
                        return wire(*kept, machine);
                      }});
    return topology;
  }
}

}  // namespace

void declare_plan(const std::string& name, Plan plan, config::CclSpec& ccl) {
  config::AlgorithmSpec algorithm;
  static_cast<config::CclSettings&>(algorithm) = static_cast<const config::CclSettings&>(ccl.defaults);
  algorithm.name = name;
  algorithm.kernel = "collective_plan";
  algorithm.collective = plan.collective;
  algorithm.validator = "any_placement";
  algorithm.topology = topology_of(name, std::move(plan));
  ccl.algorithms.insert_or_assign(name, std::move(algorithm));
}

const Plan* plan_of(const config::AlgorithmSpec& algorithm) {
  const auto found = plans().find(algorithm.topology);
  return found == plans().end() ? nullptr : found->second.get();
}

std::string_view collective_name(const config::AlgorithmSpec& algorithm) {
  const Plan* plan = plan_of(algorithm);
  return plan == nullptr ? to_string(algorithm.collective) : plan->collective_name();
}

std::vector<PeCoord> plan_pes(const Plan& plan, const config::MachineSpec& machine, int rank) {
  require_packages(plan, machine);
  const auto& blocks = plan.blocks[at(rank)];
  const auto there = at(machine.cubes_per_sip()) * at(machine.pes_per_cube());
  if (blocks.size() > there)
    throw UsageError{fmt::format("{}: rank {} has {}, and a package has {}, one each",
                                 to_string(plan.place(blocks[there])), rank,
                                 counted(blocks.size(), "thread block"), counted(there, "PE"))};
  std::vector<PeCoord> pes;
  for (const int block : numbers(blocks))
    pes.push_back({rank, block / machine.pes_per_cube(), block % machine.pes_per_cube()});
  return pes;
}

topology::DPPolicy plan_placement(const Plan& plan, const config::MachineSpec& machine) {
  const int blocks = std::max(1, most_blocks(plan));
  const int pes = machine.pes_per_cube();
  return {.cube = topology::Split::column_wise,
          .pe = topology::Split::column_wise,
          .num_cubes = std::min((blocks + pes - 1) / pes, machine.cubes_per_sip()),
          .num_pes = std::min(blocks, pes)};
}

std::int64_t chunk_elems(const Plan& plan, std::int64_t elements) {
  if (elements % plan.chunks == 0) return elements / plan.chunks;
  throw UsageError{
      fmt::format("{}: {} divisible by the plan's {} chunks: n_elem must be a multiple of them, "
                  "as by --set ccl.defaults.n_elem={}",
                  plan.file, counted(elements, "element isn't", "elements aren't"), plan.chunks,
                  (elements / plan.chunks + 1) * plan.chunks)};
}

}  // namespace kbsim::ccl
