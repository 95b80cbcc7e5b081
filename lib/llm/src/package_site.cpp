#include "kbsim/llm/package_site.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/install_plan.hpp"

#include "package_ways.hpp"

namespace kbsim::inference {
namespace {

bool powers_of_two(const config::MachineSpec& machine, std::int64_t kv_heads) {
  const auto is_power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
  return is_power(machine.pes_per_cube()) && is_power(machine.sip.cube_mesh.w) &&
         is_power(machine.sip.cube_mesh.h) && is_power(kv_heads);
}

llm::PeGrid grid_of(const config::MachineSpec& machine, Place on, std::int64_t slot_bytes) {
  const bool package = on == Place::package;
  return {.w = package ? machine.sip.cube_mesh.w : 1,
          .h = package ? machine.sip.cube_mesh.h : 1,
          .pes = on == Place::pe ? 1 : machine.pes_per_cube(),
          .slot_bytes = slot_bytes};
}

// The most TCM that the queues of a PE take, whether or not it has that much.
Bytes queues_in_tcm(const config::AlgorithmSpec& queues, config::MachineSpec machine) {
  config::MemorySpec& memory = machine.cube.memory;
  memory.tcm = std::max(memory.tcm, memory.tcm_scheduler + queues.slot_size * queues.n_slots);
  return std::max(ccl::rings_in_tcm(queues, machine), queues.slot_size * queues.n_slots);
}

// Large slots make messages few. All slots of a PE take at most a third of what is over in a large TCM.
Bytes slot_size(const config::AlgorithmSpec& queues, const config::MachineSpec& machine) {
  constexpr Bytes kMost = 64_KiB;
  constexpr Bytes kOthers = 2_MiB;  // that activations and tiles need first
  const config::MemorySpec& memory = machine.cube.memory;
  const Bytes room = memory.tcm - memory.tcm_scheduler;
  const Bytes least = queues_in_tcm(queues, machine);
  if (least > room)
    throw UsageError{fmt::format(
        "cube.memory.tcm_bytes: the queues of a model's operations take {} of a PE's TCM, and {} are left "
        "beside the scheduler's part; cube.memory.tcm_bytes={}KiB makes room",
        to_string(least), to_string(room),
        ceil_div((memory.tcm_scheduler + least + kOthers).count(), std::int64_t{1024}))};
  Bytes size = kMost;
  while (size > queues.slot_size && least * (size / queues.slot_size) > (room - kOthers) / 3) size = size / 2;
  return size;
}

config::AlgorithmSpec queues_of(const config::MachineSpec& machine, std::int64_t kv_heads, bool sums) {
  config::AlgorithmSpec queues;
  queues.name = "operations_of_a_model";
  queues.kernel = "product_columns";
  queues.topology = powers_of_two(machine, kv_heads) ? "package_exchange" : "package_splits";
  if (sums) queues.topology += "_sums";
  queues.mapper = "all_pes";
  queues.slot_size = slot_size(queues, machine);
  return queues;
}

}  // namespace

PackageSite site_of(const config::MachineSpec& machine, Place on, std::int64_t kv_heads, bool sums) {
  const config::AlgorithmSpec queues = queues_of(machine, kv_heads, sums);
  const config::MemorySpec& memory = machine.cube.memory;
  const auto tile = [&](std::string_view extent) {
    return static_cast<std::int64_t>(attribute(machine.pe.pe_scheduler, extent));
  };
  const double lanes = attribute(machine.pe.pe_math, "lanes") * attribute(machine.pe.pe_math, "freq_ghz");
  PackageSite site{
      .grid = grid_of(machine, on, queues.slot_size.count()),
      .hbm = machine.hbm_per_pe(),
      .tcm = memory.tcm - memory.tcm_scheduler - ccl::rings_in_tcm(queues, machine),
      .hbm_rate =
          (machine.shares_hbm() ? machine.cube.floorplan.hbm.bandwidth : machine.cube.xbar_to_hbm).gbs() *
          attribute(machine.cube.hbm_ctrl, "efficiency"),
      .port_rate = machine.pe.link.gbs(),
      .ucie_rate = machine.sip.ucie_link.bandwidth.gbs(),
      .macs_rate = attribute(machine.pe.pe_gemm, "macs_per_ns"),
      .tcm_read_rate = attribute(machine.pe.pe_tcm, "read_bw_gbs"),
      .tcm_write_rate = attribute(machine.pe.pe_tcm, "write_bw_gbs"),
      .math_rate = lanes / attribute(machine.pe.pe_math, "elementwise_cycles"),
      .function_rate = lanes / attribute(machine.pe.pe_math, "transcendental_cycles"),
      .math_ns = attribute(machine.pe.pe_math, "startup_ns", 0.0),
      .dispatch_ns =
          attribute(machine.pe.pe_cpu, "dispatch_cycles", 0.0) / attribute(machine.pe.pe_cpu, "freq_ghz"),
      .tile_m = tile("tile_m"),
      .tile_k = tile("tile_k"),
      .tile_n = tile("tile_n"),
      .queues = queues};
  add_ways(site, machine);
  return site;
}

std::string to_text(const PackageSite& site, Place on) {
  switch (on) {
    case Place::pe: return "PE 0 of cube 0";
    case Place::cube: return counted(site.grid.pes, "PE") + " of cube 0";
    case Place::package: break;
  }
  return counted(site.grid.cubes(), "cube") + " of " + counted(site.grid.pes, "PE");
}

}  // namespace kbsim::inference
