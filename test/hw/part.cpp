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
  [[nodiscard]] Task<> run() override {
    for (;;) {
      co_await in().receive();
      observed = sim().now();
    }
  }

  BeeperSpec spec_;
};
KBSIM_COMPONENT("test.beeper", NodeKind::part, Beeper, BeeperSpec, "tells the next one");

struct Job {
  static constexpr BodyTraits kTraits{.name = "job", .order = 201};
  std::uint64_t subject() const { return number; }
  std::uint64_t number = 0;
};

/// Works on one job at a time, in order of arrival, 100 ns on each. That of cube 0 gives jobs to that of cube
/// 1, and stays idle.
class Worker final : public Component {
 public:
  Worker(Fabric& fabric, NodeId id, BeeperSpec) : Component{fabric, id} {}

  void start(Machine& machine) override {
    Component::start(machine);
    if (node().at.cube != 0) return;
    for (std::uint64_t i = 0; i < 3; ++i)
      send_message(*fabric().graph().find("sip0.cube1.worker"), 16_B, TrafficClass::request, Job{i});
  }
  [[nodiscard]] Task<> run() override {
    for (;;) {
      const MessagePtr job = co_await in().receive();
      const std::uint64_t number = job->body.get<Job>().number;
      co_await sim().delay(100_ns);
      done.emplace_back(number, sim().now());
    }
  }

  std::vector<std::pair<std::uint64_t, Time>> done;
};
KBSIM_COMPONENT("test.worker", NodeKind::part, Worker, BeeperSpec, "works on one job at a time");

/// Takes no messages.
class Deaf final : public Component {
 public:
  Deaf(Fabric& fabric, NodeId id, BeeperSpec) : Component{fabric, id} {}
  void start(Machine& machine) override {
    Component::start(machine);
    send_message(id(), 16_B, TrafficClass::request, Ping{});
  }
};
KBSIM_COMPONENT("test.deaf", NodeKind::part, Deaf, BeeperSpec, "takes no messages");

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

TEST_CASE("Parts: messages that come while run() waits are taken later, one after the other") {
  config::MachineSpec spec = two_cubes();
  spec.cube.parts.clear();
  spec.cube.parts["worker"].model.impl = "test.worker";
  Rig rig{spec};
  rig.sim.run();
  const auto done = [&](const char* name) {
    return dynamic_cast<const Worker&>(rig.machine->component(*rig.graph.find(name))).done;
  };
  CHECK(done("sip0.cube0.worker").empty());
  const auto jobs = done("sip0.cube1.worker");
  REQUIRE(jobs.size() == 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(jobs[i].first == i);
    CHECK(jobs[i].second == jobs[0].second + static_cast<std::int64_t>(i) * 100_ns);
  }
}

TEST_CASE("Parts: a component without run() refuses messages by their kind and its name") {
  config::MachineSpec spec = two_cubes();
  spec.cube.parts.clear();
  spec.cube.parts["deaf"].model.impl = "test.deaf";
  Rig rig{spec};
  CHECK_THROWS_WITH_AS(rig.sim.run(), doctest::Contains("deaf doesn't understand a message of kind 'ping'"),
                       Error);
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
