#include "kbsim/hw/conformance/conformance.hpp"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/conformance/machine_outcome.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {
namespace {

struct Run {
  std::vector<Time> seen;
  MachineOutcome outcome;
};

// A live machine; its coroutines go first.
struct Rig {
  Rig(std::shared_ptr<const config::MachineSpec> spec, std::optional<std::uint64_t> shuffle)
      : sim{{.shuffle_ties = shuffle}}, graph{topology::compile(std::move(spec))}, machine{sim, graph, log} {}
  ~Rig() { sim.clear(); }

  Simulation sim;
  oplog::OpLog log;
  topology::Graph graph;
  Machine machine;
};

Run run_of(const std::shared_ptr<const config::MachineSpec>& spec, const MachineProgram& program, bool exact,
           std::optional<std::uint64_t> shuffle) {
  Rig rig{spec, shuffle};
  if (exact) rig.machine.fabric().exact_packets();
  std::vector<Time> seen = program(rig.machine);
  return {.seen = std::move(seen), .outcome = outcome_of(rig.machine)};
}

}  // namespace

std::uint64_t check_conformance(std::shared_ptr<const config::MachineSpec> spec,
                                const MachineProgram& program, std::uint64_t seed) {
  const topology::Graph graph = topology::compile(spec);
  const Run exact = run_of(spec, program, true, {});
  std::uint64_t saved = 0;
  for (const auto shuffle : {std::optional<std::uint64_t>{}, std::optional{seed}, std::optional{seed + 1}}) {
    const Run other = run_of(spec, program, false, shuffle);
    const std::string ties = shuffle ? fmt::format(" with ties shuffled by {}", *shuffle) : "";
    const std::string differs = difference(exact.outcome, other.outcome, graph);
    if (!differs.empty()) throw InternalError{fmt::format("the shortcut{} changes {}", ties, differs)};
    if (exact.seen != other.seen)
      throw InternalError{fmt::format("the shortcut{} changes times that the program has seen", ties)};
    if (!shuffle && other.outcome.events < exact.outcome.events)
      saved = exact.outcome.events - other.outcome.events;
  }
  return saved;
}

}  // namespace kbsim::hw
