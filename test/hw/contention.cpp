#include <doctest/doctest.h>

#include "idle.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::contention_test {
namespace {

// All PEs at one router and in the middle of the cube: equally far, without wires, from its slices.
config::MachineSpec star(int pes) {
  config::MachineSpec spec = small_machine();
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.noc.w = spec.cube.noc.h = 1;
  spec.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = pes};
  return with_sinks(spec);
}

constexpr Time kXbar = 2_ns;
constexpr Time kPacket = 1_ns;  // 256 B at 256 GB/s

std::vector<Flow> all_to_the_first(const Rig& rig, int pes, Bytes n) {
  std::vector<Flow> flows;
  for (int pe = 0; pe < pes; ++pe)
    flows.push_back({.from = rig.pe({0, 0, pe}).dma, .to = rig.hbm({0, 0, 0}), .size = n});
  return flows;
}

}  // namespace

TEST_CASE("Contention: k equal flows over one link take turns by input port, each gets a k-th of it") {
  for (const int k : {1, 2, 3, 5, 8}) {
    CAPTURE(k);
    constexpr int kPackets = 64;
    Rig rig{star(k)};
    const std::vector<Time> arrivals = deliver(rig, all_to_the_first(rig, k, kPackets * 256_B));
    for (int i = 0; i < k; ++i)
      CHECK(arrivals[static_cast<std::size_t>(i)] == kXbar + ((kPackets - 1) * k + i + 1) * kPacket);
  }
}

TEST_CASE("Contention: 8 into 1 drains at exactly one link's bandwidth, without a gap") {
  Rig rig{star(8)};
  std::vector<Flow> flows;
  for (int i = 0; i < 8 * 100; ++i)
    flows.push_back({.from = rig.pe({0, 0, i % 8}).dma, .to = rig.hbm({0, 0, 0}), .size = 256_B});
  std::vector<Time> arrivals = deliver(rig, flows);
  std::ranges::sort(arrivals);
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    CHECK(arrivals[i] == kXbar + static_cast<std::int64_t>(i + 1) * kPacket);
  const LinkId drain = rig.graph.link_between(rig.graph.cube(0, 0).xbar, rig.hbm({0, 0, 0}));
  CHECK(rig.machine->fabric().links()[drain.value()].lane.busy() == 800 * kPacket);
}

TEST_CASE("Contention: a message that finds the link taken waits for what is left of it") {
  Rig rig{star(2)};
  const std::vector<Flow> flows{{rig.pe({0, 0, 0}).dma, rig.hbm({0, 0, 0}), 256_B, 0_ns},
                                {rig.pe({0, 0, 1}).dma, rig.hbm({0, 0, 0}), 256_B, 400_ps},
                                {rig.pe({0, 0, 1}).dma, rig.hbm({0, 0, 0}), 256_B, 5_ns}};
  const std::vector<Time> arrivals = deliver(rig, flows);
  CHECK(arrivals == std::vector<Time>{kXbar + kPacket, kXbar + 2 * kPacket, 5_ns + kXbar + kPacket});
  CHECK(rig.machine->fabric().attribution().split.queueing == 600_ps);
}

TEST_CASE("Contention: flows that merge wait at the first of equal links in a row, and only there") {
  config::MachineSpec spec = star(1);
  spec.cube.noc.w = 4;  // M_CPU and SRAM at the third router, the PE at the first
  Rig rig{spec};
  rig.machine->fabric().trace_messages();
  const topology::CubeNodes& cube = rig.graph.cube(0, 0);
  std::vector<Flow> flows;
  for (int i = 0; i < 100; ++i)
    flows.push_back({.from = i % 2 == 0 ? cube.m_cpu : cube.sram, .to = cube.hbm[0], .size = 256_B});
  (void)deliver(rig, flows);
  Time waited{};
  for (const hw::MessageTrace& trace : rig.machine->fabric().traces()) {
    REQUIRE(trace.hops.size() >= 5);
    for (std::size_t i = 1; i < trace.hops.size(); ++i) {
      const hw::Hop& hop = trace.hops[i];
      const Time wait = hop.start - hop.arrive - overhead(rig.graph.node(rig.graph.link(hop.link).from));
      if (i == 1) waited += wait;
      if (i > 1) CHECK(wait == 0_ps);
    }
  }
  CHECK(waited > 0_ps);
}

TEST_CASE("Contention: a slow link after a fast one is never idle while there is something to send") {
  config::MachineSpec spec = star(1);
  spec.cube.xbar_to_hbm = Bandwidth::gbs(64.0);
  Rig rig{spec};
  const std::vector<Time> arrivals = deliver(rig, all_to_the_first(rig, 1, 100 * 256_B));
  CHECK(arrivals.front() == kXbar + 100 * 4_ns);
}

TEST_CASE("Contention: a fast link after a slow one carries each packet as it arrives") {
  config::MachineSpec spec = star(1);
  spec.cube.xbar_to_hbm = Bandwidth::gbs(1024.0);
  Rig rig{spec};
  const std::vector<Time> arrivals = deliver(rig, all_to_the_first(rig, 1, 100 * 256_B));
  CHECK(arrivals.front() == kXbar + 100 * kPacket);
  const LinkId last = rig.graph.link_between(rig.graph.cube(0, 0).xbar, rig.hbm({0, 0, 0}));
  CHECK(rig.machine->fabric().links()[last.value()].lane.busy() == 100 * 250_ps);
}

}  // namespace kbsim::hw::test::contention_test
