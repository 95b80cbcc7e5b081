#include "kbsim/evaluate/rehearsal.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/host/known_algorithm.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/hw/pe/composite_job.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::evaluate {
namespace {

// Reports a mistake before the run, which would otherwise end in its middle.
template <class Take>
void take(const std::string& what, const Take& from_memory) {
  try {
    from_memory();
  } catch (const AllocationError& error) {
    throw UsageError{fmt::format("no room for {}: {}", what, error.what())};
  }
}

void require(bool holds, const std::string& why) {
  if (!holds) throw UsageError{why};
}

// All PEs are alike: one cube is enough to see how each cuts a product.
config::MachineSpec one_cube(config::MachineSpec machine) {
  machine.system.sips.count = 1;
  machine.system.sips.w = machine.system.sips.h = 0;
  machine.system.sips.topology = config::SipTopology::ring_1d;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

void require_size(const config::MachineSpec& machine, const CollectiveProblem& problem) {
  const Bytes slice = machine.hbm_per_pe();
  require(problem.n_elem <= slice.count() / itemsize(problem.dtype),
          fmt::format("{} elements of {} a PE are more than its HBM slice, {} (cube.memory.hbm_bytes_per_pe)",
                      problem.n_elem, to_string(problem.dtype), to_string(slice)));
}

void require_placement(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                       const Shape& shape, DType dtype, const topology::DPPolicy& dp) {
  const auto shards =
      resolve_dp_policy(dp, shape, itemsize(dtype), machine.pes_per_cube(), machine.cubes_per_sip(), 0);
  const std::string wanted = ccl::validators()
                                 .at(algorithm.validator)
                                 .check(shards, ccl::participants_of(algorithm, machine), machine);
  require(wanted.empty(), fmt::format("{} needs {}", algorithm.name, wanted));
}

void require_runnable(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                      DType dtype) {
  host::require_known(algorithm);
  (void)kernels().at(algorithm.kernel).bind(CollectiveArgs{});
  (void)ccl::participants_of(algorithm, machine);
  require(algorithm.slot_size >= Bytes{itemsize(dtype)},
          fmt::format("an element of {} does not fit a slot of {}; raise slot_size (ccl.defaults.slot_size, "
                      "or the algorithm's)",
                      to_string(dtype), to_string(algorithm.slot_size)));
}

// Empty if there is no obstacle.
std::string why_not_among_packages(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                                   config::Collective collective, DType dtype) {
  try {
    require(algorithm.collective == collective,
            fmt::format("--algorithm {} is for {}, expected an {}", algorithm.name,
                        to_string(algorithm.collective), to_string(collective)));
    require(ccl::plan_of(algorithm) == nullptr,
            fmt::format("--algorithm {} is a plan, which needs tensors that all PEs of a package share",
                        algorithm.name));
    require_runnable(machine, algorithm, dtype);
    require_placement(machine, algorithm, {1}, dtype, {.num_cubes = 1, .num_pes = 1});
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::usage) throw;
    return error.what();
  }
  return {};
}

}  // namespace

void Rehearsal::install(const config::AlgorithmSpec& algorithm) {
  take(fmt::format("the queues of {}", algorithm.name),
       [&] { (void)ccl::build_install_plans(algorithm, machine_, allocators_); });
}

void Rehearsal::place(int sip, const Shape& shape, DType dtype, const topology::DPPolicy& dp) {
  const auto shards =
      resolve_dp_policy(dp, shape, itemsize(dtype), machine_.pes_per_cube(), machine_.cubes_per_sip(), sip);
  take(fmt::format("a tensor {} {}", to_string(shape), to_string(dtype)), [&] {
    for (const topology::ShardSpec& shard : shards) (void)allocators_.pe(shard.at).hbm.allocate(shard.nbytes);
  });
}

void Rehearsal::hold(Bytes tiles) const {
  const config::MemorySpec& memory = machine_.cube.memory;
  const Bytes room = memory.tcm - memory.tcm_scheduler;
  require(tiles <= room,
          fmt::format("tiles of {} are more than the TCM of a PE has room for, {} (cube.memory.tcm_bytes "
                      "less tcm_scheduler_bytes)",
                      to_string(tiles), to_string(room)));
}

void Rehearsal::multiply(bool a_loaded, bool b_loaded) const {
  host::Session built{one_cube(machine_), {}};
  const topology::PeNodes& pe = built.machine().graph().pe({0, 0, 0});
  const hw::GemmTile tile = built.machine().at<hw::IScheduler>(pe.scheduler).tiling().tile;
  const hw::TilePlan plan{
      {.a = {.shape = {tile.m, tile.k}}, .b = {.shape = {tile.k, tile.n}}, .shape = {tile.m, tile.n}}, tile};
  const Bytes streamed = (a_loaded ? 0_B : plan.operand_bytes(0)) + (b_loaded ? 0_B : plan.operand_bytes(1)) +
                         Bytes{plan.output_elements() * itemsize(f32)};
  const Bytes room = machine_.cube.memory.tcm_scheduler;
  require(streamed <= room,
          fmt::format("a composite's tile of {} x {} x {} takes {}, but the scheduler's part of the TCM has "
                      "{} (cube.memory.tcm_scheduler_bytes, pe.pe_scheduler.tile_m, tile_k, tile_n)",
                      tile.m, tile.k, tile.n, to_string(streamed), to_string(room)));
}

void require_buildable(const EvaluationRequest& request, const config::MachineSpec& machine,
                       std::size_t simulations) {
  if (request.checked_before || simulations > 1) const host::Session built{machine, {}};
}

void require_possible(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                      CollectiveProblem problem) {
  require_runnable(machine, algorithm, problem.dtype);
  require_size(machine, problem);
  problem.values = false;
  const CollectiveData data{machine, algorithm, problem};
  Rehearsal rehearsal{machine};
  rehearsal.install(algorithm);
  // The tensors of kbsim's own benches lie as the algorithm wants them.
  require_placement(machine, algorithm, {data.parts(), problem.n_elem}, problem.dtype, data.placed("").dp);
  for (int program = 0; program < data.programs(); ++program) {
    rehearsal.place(program, {data.parts(), problem.n_elem}, problem.dtype, data.placed("").dp);
    if (!data.in_place())
      rehearsal.place(program, {data.parts(), data.out_elems()}, problem.dtype, data.placed("").dp);
  }
}

void require_among_packages(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                            const config::CclSpec& ccl, config::Collective collective, DType dtype) {
  host::require_known(algorithm);
  const std::string why = why_not_among_packages(machine, algorithm, collective, dtype);
  if (why.empty()) return;
  std::vector<std::string> fit;
  for (const auto& [name, other] : ccl.algorithms) {
    if (why_not_among_packages(machine, other, collective, dtype).empty()) fit.push_back(name);
  }
  throw UsageError{
      fit.empty() ? why
                  : fmt::format("{}; here, on one PE of each package, run {}", why, fmt::join(fit, ", "))};
}

}  // namespace kbsim::evaluate
