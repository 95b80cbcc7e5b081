#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "files.hpp"
#include "harness.hpp"

namespace kbsim::hw::test::audit_test {
namespace {

using topology::NodeKind;

// Every model but those of tests.
std::vector<std::string> models() {
  std::vector<std::string> names = hw::component_models().names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("test."); });
  return names;
}

// The places of a model of this kind in a machine; endpoints are in networks of their own.
std::vector<ComponentSpec*> places(config::MachineSpec& spec, NodeKind kind) {
  switch (kind) {
    case NodeKind::host: return {&spec.system.components.host};
    case NodeKind::pcie_switch: return {&spec.system.components.pcie_switch};
    case NodeKind::pcie_ep: return {&spec.sip.io.pcie_ep};
    case NodeKind::io_cpu: return {&spec.sip.io.io_cpu};
    case NodeKind::router: return {&spec.sip.io.router, &spec.cube.noc.router};
    case NodeKind::ucie: return {&spec.sip.ucie};
    case NodeKind::m_cpu: return {&spec.cube.m_cpu};
    case NodeKind::xbar: return {&spec.cube.xbar};
    case NodeKind::hbm_ctrl: return {&spec.cube.hbm_ctrl};
    case NodeKind::sram: return {&spec.cube.sram};
    case NodeKind::pe_cpu: return {&spec.pe.pe_cpu};
    case NodeKind::pe_scheduler: return {&spec.pe.pe_scheduler};
    case NodeKind::pe_dma: return {&spec.pe.pe_dma};
    case NodeKind::pe_gemm: return {&spec.pe.pe_gemm};
    case NodeKind::pe_math: return {&spec.pe.pe_math};
    case NodeKind::pe_tcm: return {&spec.pe.pe_tcm};
    case NodeKind::pe_mmu: return {&spec.pe.pe_mmu};
    case NodeKind::pe_ipcq: return {&spec.pe.pe_ipcq};
    default: return {};
  }
}

struct NoArgs {};

Task<> load_and_store(TL& tl, NoArgs) {
  constexpr Ptr kHere{.va = kVa, .dtype = f16};
  auto loading = tl.load(kHere, {64}, f16);
  const Tile tile = co_await loading;
  co_await tl.store(kHere, tile + tile);
}

Task<> touch_everything(Rig* rig) {
  constexpr PeCoord kPe{0, 0, 0};
  (void)co_await hw::host_of(*rig->machine).read(0, rig->graph.cube(0, 0).sram, 0, 64_B);
  co_await rig->connect(kPe, {0, 1, 0}, 2, 64_B);
  co_await map_and_launch(rig, kPe, in_hbm(*rig->spec, kPe), bind_kernel("kernel", load_and_store, NoArgs{}));
}

}  // namespace

TEST_CASE("Audit: every kind of node of a machine has a registered model, of that kind") {
  config::MachineSpec spec = small_machine();
  const Rig rig{spec};
  for (const topology::Node& node : rig.graph.nodes()) {
    const hw::ComponentModel* model = hw::component_models().find(node.model->impl);
    REQUIRE(model != nullptr);
    CHECK(model->kind == node.kind);
  }
  for (int kind = 0; kind <= static_cast<int>(NodeKind::endpoint); ++kind) {
    const auto models_it = [&](const std::string& name) {
      return static_cast<int>(hw::component_models().at(name).kind) == kind;
    };
    CHECK_MESSAGE(std::ranges::any_of(models(), models_it), to_string(static_cast<NodeKind>(kind)));
  }
}

TEST_CASE("Audit: every model runs in its place of a machine") {
  int placed = 0;
  for (const std::string& name : models()) {
    CAPTURE(name);
    config::MachineSpec spec = small_machine();
    for (ComponentSpec* place : places(spec, hw::component_models().at(name).kind)) {
      place->impl = name;
      ++placed;
    }
    Rig rig{spec};
    CHECK_NOTHROW(rig.run(touch_everything(&rig)));
    CHECK_NOTHROW(rig.machine->fabric().audit());
  }
  CHECK(placed >= 18);
}

TEST_CASE("Audit: a model in a place of another kind is refused with node and place") {
  config::MachineSpec spec = small_machine();
  spec.cube.xbar.impl = "builtin.router";
  CHECK_THROWS_WITH_AS(Rig{spec},
                       doctest::Contains("'builtin.router' is a model of router, expected one of xbar"),
                       ConfigError);
}

TEST_CASE("Audit: every model has a sentence, and so has each of its fields") {
  for (const std::string& name : models()) {
    const hw::ComponentModel& model = hw::component_models().at(name);
    CHECK_MESSAGE(!model.doc.empty(), name);
    REQUIRE(model.fields != nullptr);
    for (const Field& field : *model.fields) CHECK_MESSAGE(!field.doc.empty(), name, ".", field.name);
  }
}

TEST_CASE("Audit: configs/topology.yaml's attributes are fields of their models, and builds a machine") {
  const std::string text = kbsim::test::contents(KBSIM_SOURCE_DIR "/configs/topology.yaml");
  REQUIRE(!text.empty());
  const config::MachineSpec spec = config::parse_machine(text, "topology.yaml", {}, hw::ModelCatalog{});
  Rig rig{spec};
  CHECK(rig.graph.sips().size() == 2);
  CHECK_THROWS_AS(
      (void)config::parse_machine(text, "topology.yaml", {"cube.xbar.colour=3"}, hw::ModelCatalog{}),
      ConfigError);
}

}  // namespace kbsim::hw::test::audit_test
