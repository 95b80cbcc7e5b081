#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/allocator.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

config::MachineSpec largest_machine() {
  config::MachineSpec spec;
  spec.system.sips.count = 256;
  spec.sip.cube_mesh = {.w = 8, .h = 4};
  spec.cube.pe_layout.pe_per_corner = 4;
  return spec;
}

void check_refused(const config::MachineSpec& spec, const std::string& text) {
  CHECK_THROWS_WITH_AS((MachineAllocators{spec}), text.c_str(), UsageError);
}

}  // namespace

TEST_CASE("MachineAllocators: each PE has its own HBM slice, TCM and IPCQ space") {
  MachineAllocators machine{config::MachineSpec{}};
  const PeCoord at{.sip = 1, .cube = 2, .pe = 3};
  CHECK(machine.pe(at).hbm.allocate(1_KiB) == PhysAddr::pe_hbm(at, 0_B, 6_GiB));
  CHECK(machine.pe(at).hbm.allocate(1_KiB) == PhysAddr::pe_hbm(at, 1_KiB, 6_GiB));
  CHECK(machine.pe(at).tcm.allocate(1_KiB) == PhysAddr::pe_tcm(at, 0_B));
  CHECK(machine.pe(at).ipcq.allocate(1_KiB) == PhysAddr::pe_ipcq(at, 0_B));
  CHECK(machine.pe({.sip = 1, .cube = 2, .pe = 4}).hbm.free_bytes() == 6_GiB);
}

TEST_CASE("MachineAllocators: the TCM is given out less the scheduler's part") {
  MachineAllocators machine{config::MachineSpec{}};
  CHECK(machine.pe({}).tcm.size() == 12_MiB);
  CHECK(machine.pe({}).hbm.size() == 6_GiB);
  CHECK(machine.pe({}).ipcq.size() == 64_MiB);
  CHECK_THROWS_WITH_AS(
      (void)machine.pe({}).tcm.allocate(13_MiB),
      "sip0.cube0.pe0 tcm: asked for 13 MiB aligned to 64 B, but of 12 MiB only 12 MiB are left, "
      "12 MiB in one piece",
      AllocationError);
}

TEST_CASE("MachineAllocators: a cube's PEs share its SRAM") {
  MachineAllocators machine{config::MachineSpec{}};
  CHECK(machine.cube_sram(0, 5).allocate(100_B) == PhysAddr::cube_sram(0, 5, 0_B));
  CHECK(machine.memory({.cube = 5, .pe = 7}, Region::sram).allocate(1_B) == PhysAddr::cube_sram(0, 5, 128_B));
  CHECK(machine.cube_sram(0, 5).free_bytes() == 32_MiB - 101_B);
  CHECK(machine.cube_sram(0, 5).largest_free() == 32_MiB - 129_B);
}

TEST_CASE("MachineAllocators: an address finds the allocator it came from") {
  MachineAllocators machine{config::MachineSpec{}};
  const PeCoord at{.sip = 1, .cube = 15, .pe = 7};
  for (const Region region : {Region::hbm, Region::tcm, Region::ipcq, Region::sram}) {
    CAPTURE(to_string(region));
    const Bytes before = machine.memory(at, region).free_bytes();
    const PhysAddr address = machine.memory(at, region).allocate(4_KiB);
    CHECK(machine.memory(at, region).free_bytes() == before - 4_KiB);
    machine.free(address);
    CHECK(machine.memory(at, region).free_bytes() == before);
    CHECK_THROWS_AS(machine.free(address), AllocationError);
  }
}

TEST_CASE("MachineAllocators: foreign addresses are refused") {
  MachineAllocators machine{config::MachineSpec{}};
  const PhysAddr scheduler = PhysAddr::pe_tcm({}, 12_MiB);
  CHECK_THROWS_WITH_AS(machine.free(scheduler),
                       "0xc00000 is not an address of sip0.cube0.pe0 tcm, which has 0x0 to 0xc00000",
                       AllocationError);
  CHECK_THROWS_WITH_AS(machine.free(PhysAddr::pe_regfile({}, 0_B)),
                       "sip0.cube0.pe0 regfile is not memory that can be allocated", AllocationError);
  const PhysAddr other = machine.pe({.pe = 1}).hbm.allocate(64_B);
  CHECK_THROWS_AS(machine.pe({}).hbm.free(other), AllocationError);
}

TEST_CASE("MachineAllocators: coordinates that the machine doesn't have are refused") {
  MachineAllocators machine{config::MachineSpec{}};
  CHECK_THROWS_WITH_AS((void)machine.pe({.sip = 2}), "the machine has no sip 2, expected 0 to 1", UsageError);
  CHECK_THROWS_WITH_AS((void)machine.pe({.cube = -1}), "the machine has no cube -1, expected 0 to 15",
                       UsageError);
  CHECK_THROWS_WITH_AS((void)machine.pe({.pe = 8}), "the machine has no pe 8, expected 0 to 7", UsageError);
  CHECK_THROWS_AS((void)machine.cube_sram(0, 16), UsageError);
}

TEST_CASE("MachineAllocators: the largest machine's allocators are made when asked for") {
  MachineAllocators machine{largest_machine()};
  const PeCoord last{.sip = 255, .cube = 31, .pe = 15};
  CHECK(machine.pe(last).hbm.allocate(1_B) == PhysAddr::pe_hbm(last, 0_B, 6_GiB));
}

TEST_CASE("MachineAllocators: what physical addresses have no room for is refused by key") {
  config::MachineSpec spec = largest_machine();
  spec.system.sips.count = 257;
  check_refused(spec, "system.sips.count is 257, but physical addresses have room for 256");
  spec = largest_machine();
  spec.sip.cube_mesh.h = 5;
  check_refused(spec, "sip.cube_mesh, w times h, is 40, but physical addresses have room for 32");
  spec = largest_machine();
  spec.cube.pe_layout.pe_per_corner = 257;
  check_refused(spec, "cube.pe_layout, PEs of a cube, is 1028, but physical addresses have room for 1024");
  spec = largest_machine();
  spec.cube.memory.hbm_per_pe = 9_GiB;
  check_refused(
      spec, "cube.memory.hbm_bytes_per_pe is 9663676416, but physical addresses have room for 8589934592");
  spec = largest_machine();
  spec.cube.memory.sram = 513_MiB;
  check_refused(spec, "cube.memory.sram_bytes is 537919488, but physical addresses have room for 536870912");
  spec = largest_machine();
  spec.cube.memory.tcm = 257_MiB;
  check_refused(spec, "cube.memory.tcm_bytes is 269484032, but physical addresses have room for 268435456");
  spec = largest_machine();
  spec.cube.memory.tcm_scheduler = 17_MiB;
  check_refused(spec, "cube.memory.tcm_scheduler_bytes is 17 MiB, more than the whole TCM (16 MiB)");
}
