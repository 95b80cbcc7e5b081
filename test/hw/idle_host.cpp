#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::idle_host_test {
namespace {

Task<> write(Rig* rig, NodeId memory, Bytes n) {
  co_await hw::host_of(*rig->machine).write(0, memory, 0, {.value = {}, .offset = 0, .bytes = n.count()});
}

Task<> read(Rig* rig, NodeId memory, Bytes n) {
  (void)co_await hw::host_of(*rig->machine).read(0, memory, 0, n);
}

NodeId any_memory(Random& random, const Rig& rig) {
  const PeCoord at = random_pe(random, *rig.spec);
  const NodeId sram = rig.graph.cube(at.sip, at.cube).sram;
  return random.any_of({rig.hbm(at), sram, rig.pe(at).tcm});
}

Time timed(Rig& rig, Task<> program) {
  const Time start = rig.sim.now();
  rig.run(std::move(program));
  return rig.sim.now() - start;
}

}  // namespace

TEST_CASE("Idle machine: a host write takes overheads, wires and n over the slowest, and its ack the same") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const NodeId memory = any_memory(random, rig);
    const Bytes n{random.between(1, 65536)};
    CAPTURE(seed);
    CAPTURE(rig.graph.node(memory).name);
    CAPTURE(n.count());
    const NodeId host = rig.graph.host();
    const Expected expected = crossing(way_to_memory(rig.graph, host, memory), cut(rig.graph, n)) +
                              crossing(way(rig.graph, memory, host), control(rig.graph));
    CAPTURE(text(expected));
    const Time measured = timed(rig, write(&rig, memory, n));
    CHECK_MESSAGE(meets(measured, expected), to_string(measured));
  }
}

TEST_CASE("Idle machine: a host read takes its request's way, then the data's with the memory as a server") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const NodeId memory = any_memory(random, rig);
    const Bytes n{random.between(1, 65536)};
    CAPTURE(seed);
    CAPTURE(rig.graph.node(memory).name);
    CAPTURE(n.count());
    const NodeId host = rig.graph.host();
    const Expected expected = crossing(way(rig.graph, host, memory), control(rig.graph)) +
                              crossing(way_from_memory(rig.graph, memory, host), cut(rig.graph, n));
    CAPTURE(text(expected));
    const Time measured = timed(rig, read(&rig, memory, n));
    CHECK_MESSAGE(meets(measured, expected), to_string(measured));
  }
}

TEST_CASE("Idle machine: packet size changes no latency where all serializations divide") {
  for (const int packet : {0, 64, 256, 512}) {
    config::MachineSpec spec = small_machine();
    spec.system.packet_bytes = Bytes{packet};
    spec.system.control_bytes = 64_B;
    Rig rig{spec};
    const NodeId sram = rig.graph.cube(0, 1).sram;
    // 300 mm twice, io 2 mm twice, ucie 1 mm, in the cube from the north edge to the middle 5 mm, to the
    // sram 1.25+1.25
    const Expected expected =
        crossing(way_to_memory(rig.graph, rig.graph.host(), sram), cut(rig.graph, 16_KiB)) +
        crossing(way(rig.graph, sram, rig.graph.host()), control(rig.graph));
    CHECK(expected.slack == 0_ps);
    CHECK(timed(rig, write(&rig, sram, 16_KiB)) == expected.time);
  }
}

TEST_CASE("Idle machine: overhead and wire are those of the route, and nothing queues") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const NodeId memory = any_memory(random, rig);
    const Bytes n{random.between(1, 20000)};
    CAPTURE(seed);
    rig.run(write(&rig, memory, n));
    const hw::Attribution& all = rig.machine->fabric().attribution();
    CHECK(all.messages == 2);
    const NodeId host = rig.graph.host();
    CHECK(all.split.overhead + all.split.wire ==
          way(rig.graph, host, memory).delay + way(rig.graph, memory, host).delay);
    const Time slack = crossing(way(rig.graph, host, memory), cut(rig.graph, n)).slack +
                       crossing(way(rig.graph, memory, host), control(rig.graph)).slack;
    CHECK(all.split.queueing >= 0_ps);
    CHECK(all.split.queueing <= slack);
  }
}

}  // namespace kbsim::hw::test::idle_host_test
