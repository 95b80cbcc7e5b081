#include "kbsim/host/session.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/environment.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/hw/pe/standing_barriers.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/sim/wait_graph.hpp"
#include "kbsim/tl/kernel_waits.hpp"

#include "host_waits.hpp"
#include "plan_waits.hpp"
#include "signal_waits.hpp"

namespace kbsim::host {
namespace {

const WorkKind kBuilding{"building machines"};

template <class Do>
void for_each_ipcq(hw::Machine& machine, Do what) {
  for (const topology::SipNodes& sip : machine.graph().sips()) {
    for (const topology::CubeNodes& cube : sip.cubes) {
      for (const topology::PeNodes& pe : cube.pes) what(machine.at<hw::IQueueState>(pe.ipcq));
    }
  }
}

WaitGraph graph_of(const std::vector<Waiting>& waiting, hw::Machine& machine,
                   const std::vector<StandingBarrier>& barriers, const std::vector<const Rank*>& ranks) {
  Waits waits{waiting};
  add_kernel_waits(waits, queue_ends(machine), barriers);
  add_host_waits(waits, machine, ranks);
  WaitGraph graph = waits.take();
  name_signals(graph, machine.address_names());
  return graph;
}

void require_received(hw::Machine& machine) {
  for_each_ipcq(machine, [](const hw::IQueueState& ipcq) { ipcq.require_received(); });
}

// The PEs of kernels that wait.
std::vector<PeCoord> kernels_of(const std::vector<Waiting>& waiting) {
  std::vector<PeCoord> pes;
  for (const Waiting& one : waiting) {
    if (const auto* kernel = one.who.as<KernelOn>()) pes.push_back(kernel->pe);
  }
  return pes;
}

DeadlockReport report(const DeadlockError& deadlock, hw::Machine& machine,
                      const std::vector<const Rank*>& ranks, const config::AlgorithmSpec& algorithm) {
  const std::vector<StandingBarrier> barriers = hw::standing_barriers(machine);
  WaitGraph graph = graph_of(deadlock.waiting(), machine, barriers, ranks);
  name_plan_steps(graph, algorithm, machine.graph().spec());
  return {deadlock, std::move(graph),
          describe_barriers(barriers) + describe_rings(machine, kernels_of(deadlock.waiting()))};
}

void require_possible(const SessionOptions& options) {
  if (options.timing_only && options.races != oplog::RaceMode::off)
    throw UsageError{"--timing-only keeps no operations: races can't be found"};
}

topology::Graph compiled(const std::shared_ptr<const config::MachineSpec>& spec) {
  const WorkScope scope{kBuilding};
  return topology::compile(spec);
}

std::unique_ptr<hw::Machine> built(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log,
                                   const SimulationOptions* divided) {
  const WorkScope scope{kBuilding};
  if (divided != nullptr) return std::make_unique<hw::Machine>(sim, graph, log, *divided);
  return std::make_unique<hw::Machine>(sim, graph, log);
}

// Why packages can't run in parallel: state kept in the order of all events, or shared beside the links.
std::string obstacle_to_threads(const SessionOptions& options, const config::MachineSpec& machine,
                                const config::AlgorithmSpec& algorithm) {
  if (machine.system.sips.count == 1) return "the machine has one package";
  if (options.races != oplog::RaceMode::off)
    return "data races are looked for in the order of all events (--race off)";
  if (options.simulation.causes)
    return "causes are kept in the order of all events (--explain, --out without --no-report)";
  if (options.simulation.max_events != UINT64_MAX) return "--max-events counts events in the order of all";
  if (self_profile::is_on()) return "--profile-self samples one thread";
  if (queues_are_traced()) return "tiles are traced in the order of all events (KBSIM_CCL_TRACE)";
  if (algorithm.credit == config::CreditPath::direct)
    return "queues' ends meet beside the links (credit: direct)";
  if (ccl::plan_of(algorithm) != nullptr) return "memory of a plan's ranks is mapped while they run";
  return "";
}

}  // namespace

Session::Session(config::MachineSpec machine, config::AlgorithmSpec algorithm, SessionOptions options)
    : spec_{std::make_shared<const config::MachineSpec>(std::move(machine))},
      algorithm_{std::move(algorithm)},
      ccl_{std::move(options.ccl)},
      choices_{options.choices},
      sim_{options.simulation},
      graph_{compiled(spec_)},
      log_{options.timing_only ? oplog::Keep::times : oplog::Keep::operations},
      threads_{options.threads},
      one_thread_because_{threads_ > 1 ? obstacle_to_threads(options, *spec_, algorithm_) : ""},
      machine_{built(sim_, graph_, log_,
                     threads_ > 1 && one_thread_because_.empty() ? &options.simulation : nullptr)},
      replay_{log_, options.replay_threads},
      allocators_{*spec_},
      va_(static_cast<std::size_t>(spec_->system.sips.count)),
      first_rank_lane_{static_cast<std::uint32_t>(log_.lanes())} {
  require_possible(options);
  if (one_thread_because_.empty()) one_thread_because_ = machine_->undivided_because();
  for (int rank = 0; rank < spec_->system.sips.count; ++rank)
    (void)log_.add_lane(fmt::format("rank{}", rank));
  if (options.exact_packets) machine_->fabric().exact_packets();
  machine_->races().watch(options.races);
  if (queues_are_traced()) machine_->queue_trace().print_to(stderr);
  if (has_values()) {
    machine_->set_evaluator([this](const oplog::Operand& what) {
      const replay::Buffer bytes = replay_.evaluate(what);
      return replay::to_doubles(bytes, what.dtype);
    });
  }
}

Session::~Session() {
  const WorkScope scope{kBuilding};
  open_ = false;
  sim_.clear();
}

bool queues_are_traced() {
  const auto asks = [](const char* name) { return environment_choice(name, {"0", "1"}) == "1"; };
  const bool asked = asks("KBSIM_CCL_TRACE");
  return asks("KERNBENCH_CCL_TRACE") || asked;
}

void Session::run() {
  simulate();
  replay::check(log_, replay_);
}

void Session::simulate() {
  try {
    machine_->run(threads_);
    orders().quiet();
    require_received(*machine_);
    machine_->queue_trace().flush();
    machine_->fabric().audit();
  } catch (const DeadlockError& deadlock) {
    throw report(deadlock, *machine_, ranks_, algorithm_);
  }
}

}  // namespace kbsim::host
