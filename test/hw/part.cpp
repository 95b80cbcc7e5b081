// Parts of one's own: a new kind of node, in one file.
#include <doctest/doctest.h>

#include "kbsim/topology/longest_path.hpp"

#include "harness.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::part_test {
namespace {

struct Ping {
  static constexpr BodyTraits kTraits{.name = "ping", .order = 200};
};

struct BeeperSpec {
  Bytes size = 1024_B;
  static void describe(auto& f) { f.add("size_bytes", &BeeperSpec::size, between(1_B, 1_MiB), "of a ping"); }
};

/// At time 0 each sends a ping to the part of the next cube, and notes when a ping arrives.
class Beeper final : public Component {
 public:
  Beeper(Fabric& fabric, NodeId id, BeeperSpec spec) : Component{fabric, id}, spec_{spec} {}

  void start(Machine& machine) override {
    Component::start(machine);
    const topology::Graph& graph = fabric().graph();
    const int next = (node().at.cube + 1) % graph.spec().cubes_per_sip();
    const std::string peer =
        "sip" + std::to_string(node().at.sip) + ".cube" + std::to_string(next) + ".beeper";
    send_message(*graph.find(peer), spec_.size, TrafficClass::request, Ping{});
  }

  std::optional<Time> observed;

 private:
  void accept(MessagePtr) override { observed = sim().now(); }

  BeeperSpec spec_;
};
KBSIM_COMPONENT("test.beeper", NodeKind::part, Beeper, BeeperSpec, "tells the next one");

config::MachineSpec two_cubes() {
  config::MachineSpec spec = small_machine();
  spec.sip.cube_mesh = {.w = 2, .h = 1};
  spec.cube.parts["beeper"].model.impl = "test.beeper";
  return spec;
}

}  // namespace

TEST_CASE("Parts: their messages take overheads, wires and one serialization, as for any node") {
  Rig rig{two_cubes()};
  rig.sim.run();
  std::vector<Time> overhead;
  for (std::uint32_t i = 0; i < rig.graph.nodes().size(); ++i)
    overhead.push_back(rig.machine->component(NodeId{i}).overhead());
  for (int cube = 0; cube < 2; ++cube) {
    const auto name = [](int c) { return "sip0.cube" + std::to_string(c) + ".beeper"; };
    const NodeId from = rig.graph.find(name(1 - cube)).value();
    const NodeId to = rig.graph.find(name(cube)).value();
    const auto& beeper = dynamic_cast<const Beeper&>(rig.machine->component(to));
    CHECK(beeper.observed == topology::path_cost(rig.graph, overhead, from, to, 1024_B).latency());
  }
}

TEST_CASE("Parts: their attributes are fields, and a model of another kind is refused by name") {
  config::MachineSpec spec = two_cubes();
  spec.cube.parts["beeper"].model.attrs["size_bytes"] = std::int64_t{64};
  CHECK_NOTHROW(Rig{spec});
  spec.cube.parts["beeper"].model.impl = "builtin.router";
  CHECK_THROWS_WITH_AS(Rig{spec},
                       doctest::Contains("'builtin.router' is a model of router, expected one of part"),
                       ConfigError);
  spec.cube.parts["beeper"].model.impl = "builtin.xy";
  CHECK_THROWS_WITH_AS(Rig{spec}, doctest::Contains("'builtin.xy' is no model of a component"), ConfigError);
}

}  // namespace kbsim::hw::test::part_test
