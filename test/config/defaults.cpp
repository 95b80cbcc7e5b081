#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"
#include "kbsim/config/load.hpp"

#include "fake_catalog.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

MachineSpec shipped(const Overrides& overrides = {}) {
  return load_machine(
      {.file = KBSIM_SOURCE_DIR "/configs/topology.yaml", .overrides = overrides, .catalog = kModels});
}

}  // namespace

TEST_CASE("configs/topology.yaml: spells out the documented defaults") {
  CHECK(resolved_yaml(shipped(), kModels) == resolved_yaml(MachineSpec{}, kModels));
}

TEST_CASE("configs/topology.yaml: a resolved copy reads back to the same machine") {
  const MachineSpec spec = shipped({"sip.cube_mesh={w: 3, h: 5}", "cube.xbar.overhead_ns=2.345",
                                    "cube.hbm_ctrl.efficiency=0.7", "cube.memory.sram_bytes=1000"});
  const std::string text = resolved_yaml(spec, kModels);
  const MachineSpec again = parse_machine(text, "resolved", {}, kModels);
  CHECK(resolved_yaml(again, kModels) == text);
  CHECK(again.cubes_per_sip() == 15);
  CHECK(again.cube.memory.sram == 1000_B);
  CHECK(std::get<double>(again.cube.xbar.attrs.at("overhead_ns")) == 2.345);
  CHECK(std::get<double>(again.cube.hbm_ctrl.attrs.at("efficiency")) == 0.7);
}
