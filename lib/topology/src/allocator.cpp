#include "kbsim/topology/allocator.hpp"

#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

void check_at_most(std::string_view key, std::int64_t value, std::int64_t limit) {
  if (value > limit) {
    throw UsageError{fmt::format("{} is {}, but physical addresses have room for {}", key, value, limit)};
  }
}

void check_addressable(const config::MachineSpec& spec) {
  const config::MemorySpec& memory = spec.cube.memory;
  check_at_most("system.sips.count", spec.system.sips.count, kMaxSips);
  check_at_most("sip.cube_mesh, w times h,", spec.cubes_per_sip(), kMaxCubes);
  check_at_most("cube.pe_layout, PEs of a cube,", spec.pes_per_cube(), kMaxPes);
  check_at_most("cube.memory.hbm_bytes_per_pe", spec.hbm_per_pe().count(),
                info(Region::hbm).size.count() / spec.pes_per_cube());
  check_at_most("cube.memory.sram_bytes", memory.sram.count(), info(Region::sram).size.count());
  check_at_most("cube.memory.tcm_bytes", memory.tcm.count(), info(Region::tcm).size.count());
  if (memory.tcm_scheduler > memory.tcm) {
    throw UsageError{fmt::format("cube.memory.tcm_scheduler_bytes is {}, more than the whole TCM ({})",
                                 to_string(memory.tcm_scheduler), to_string(memory.tcm))};
  }
}

void check_index(std::string_view level, int index, int count) {
  if (index < 0 || index >= count) {
    throw UsageError{fmt::format("the machine has no {} {}, expected 0 to {}", level, index, count - 1)};
  }
}

}  // namespace

PeAllocator::PeAllocator(PeCoord at, const config::MemorySpec& memory, Bytes hbm)
    : PeAllocator{to_string(at), at, memory, hbm} {}

PeAllocator::PeAllocator(const std::string& name, PeCoord at, const config::MemorySpec& memory, Bytes share)
    : hbm{name + " hbm", PhysAddr::pe_hbm(at, 0_B, share), share},
      tcm{name + " tcm", PhysAddr::pe_tcm(at, 0_B), memory.tcm - memory.tcm_scheduler},
      ipcq{name + " ipcq", PhysAddr::pe_ipcq(at, 0_B), info(Region::ipcq).size} {}

CubeSramAllocator::CubeSramAllocator(int sip, int cube, Bytes size)
    : PhysAllocator{fmt::format("sip{}.cube{} sram", sip, cube), PhysAddr::cube_sram(sip, cube, 0_B), size} {}

MachineAllocators::MachineAllocators(const config::MachineSpec& spec)
    : memory_{spec.cube.memory},
      hbm_{spec.hbm_per_pe()},
      extent_{.sip = spec.system.sips.count, .cube = spec.cubes_per_sip(), .pe = spec.pes_per_cube()} {
  check_addressable(spec);
}

PeAllocator& MachineAllocators::pe(PeCoord at) {
  check(at);
  return pes_.try_emplace(at, at, memory_, hbm_).first->second;
}

CubeSramAllocator& MachineAllocators::cube_sram(int sip, int cube) {
  check({.sip = sip, .cube = cube});
  return srams_.try_emplace({sip, cube}, sip, cube, memory_.sram).first->second;
}

PhysAllocator& MachineAllocators::memory(PeCoord at, Region region) {
  switch (region) {
    case Region::hbm: return pe(at).hbm;
    case Region::tcm: return pe(at).tcm;
    case Region::ipcq: return pe(at).ipcq;
    case Region::sram: return cube_sram(at.sip, at.cube);
    case Region::scratchpad:
    case Region::regfile:
    case Region::status:
    case Region::m_cpu: break;
  }
  throw AllocationError{
      fmt::format("{} {} is not memory that can be allocated", to_string(at), to_string(region))};
}

void MachineAllocators::free(PhysAddr at) {
  const Location in = at.decode();
  PeCoord owner = in.coord();
  if (in.region == Region::hbm) owner.pe = static_cast<int>(in.offset / hbm_);
  memory(owner, in.region).free(at);
}

void MachineAllocators::check(PeCoord at) const {
  check_index("sip", at.sip, extent_.sip);
  check_index("cube", at.cube, extent_.cube);
  check_index("pe", at.pe, extent_.pe);
}

}  // namespace kbsim::topology
