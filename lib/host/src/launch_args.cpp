#include "kbsim/host/launch_args.hpp"

#include <algorithm>
#include <limits>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::host {
namespace {

// If packages form no grid and no tree, each has a wire to the next one by number.
SipExchange exchange_of(config::SipTopology topology) {
  using enum config::SipTopology;
  if (topology == tree_binary) return SipExchange::tree;
  if (!config::is_grid(topology)) return SipExchange::ring;
  return topology == mesh_2d_no_wrap ? SipExchange::mesh : SipExchange::torus;
}

// The packages as a grid, whatever joins them.
topology::SipGrid grid_of(const config::MachineSpec& machine) {
  config::SipsSpec sips = machine.system.sips;
  sips.topology = config::SipTopology::torus_2d;
  return topology::SipGrid{sips};
}

// Unless slots are in TCM, a received tile is a copy in TCM: its slot is free before the kernel gets it.
int free_slots(const config::AlgorithmSpec& algorithm) {
  return algorithm.buffer_kind == config::BufferKind::tcm ? algorithm.n_slots - 1
                                                          : std::numeric_limits<int>::max();
}

std::int64_t message_elems(const config::AlgorithmSpec& algorithm, std::int64_t item) {
  const std::int64_t slot = algorithm.slot_size.count() / item;
  return algorithm.chunk_size > 0 ? std::min(slot, algorithm.chunk_size) : slot;
}

Bytes tcm_of_tiles(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  const config::MemorySpec& memory = machine.cube.memory;
  return memory.tcm - memory.tcm_scheduler - ccl::rings_in_tcm(algorithm, machine);
}

}  // namespace

CollectiveArgs collective_args(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                               int rank, Ptr data, std::int64_t n_elem, int pes, std::optional<Bytes> tcm) {
  const topology::SipGrid grid = grid_of(machine);
  const std::int64_t item = itemsize(data.dtype);
  if (!tcm) tcm = tcm_of_tiles(algorithm, machine);
  const KernelKeys* keys = kernel_keys().find(algorithm.kernel);
  return {.data = data,
          .n_elem = n_elem,
          .cube_w = machine.sip.cube_mesh.w,
          .cube_h = machine.sip.cube_mesh.h,
          .pes = pes,
          .world_size = machine.system.sips.count,
          .rank = rank,
          .exchange = exchange_of(machine.system.sips.topology),
          .sip_w = grid.width(),
          .sip_h = grid.height(),
          .out = {.dtype = data.dtype},
          .op = static_cast<Reduction>(algorithm.reduce_op),
          .slot_elems = message_elems(algorithm, item),
          .free_slots = free_slots(algorithm),
          .tcm_elems = std::max<std::int64_t>(tcm->count() / item, 1),
          .own = keys != nullptr ? keys->values(algorithm.own) : KernelValues{}};
}

}  // namespace kbsim::host
