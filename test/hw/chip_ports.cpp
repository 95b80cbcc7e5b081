// Ports between chips: packets that are stored, and processors that send and receive.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/route.hpp"

#include "idle.hpp"
#include "random_machine.hpp"
#include "routers.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::chip_ports_test {
namespace {

// Two packages of one die, joined by links of a router: 12.5 GB/s, frames, 711 ns.
config::MachineSpec two_chips() {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.system.sips.count = 2;
  spec.system.sips.topology = config::SipTopology::mesh_2d_no_wrap;  // one wire
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.system.packet_bytes = 4096_B;
  config::ChipLinkSpec& link = spec.system.sips.link;
  link = {.bandwidth = Bandwidth::gbs(12.5), .latency = 711_ns, .packet = 240_ns};
  link.frame = {.header = 48_B, .payload = 1500_B, .overhead = 50_B};
  return spec;
}

Flow across(const Rig& rig, int from, Bytes size) {
  return {rig.pe({from, 0, 0}).dma, rig.hbm({1 - from, 0, 1}), size};
}

// One packet alone: the delays of its route, and of each part of the route between nodes that store packets
// the longest service.
Time alone(const Rig& rig, const Flow& flow, bool stores) {
  Time all{};
  Time longest{};
  topology::Routes routes{rig.graph};
  for (const LinkId id : routes(flow.from, flow.to)) {
    const topology::Link& link = rig.graph.link(id);
    all += overhead(rig.graph.node(link.from)) + link.wire;
    longest = std::max(longest, service_time(link, flow.size));
    const bool at_port = rig.graph.node(link.to).name.find(".io.port_") != std::string::npos;
    if (at_port && stores) all += std::exchange(longest, Time{0});
  }
  return all + longest;
}

// When the last of `n` packets of both of two equal flows leaves its port, after the first has left: each
// port sends a packet for `sends`, and receives one of the other port `later` after that one began to send
// it.
Time last_of(int n, Time service, Time sends, Time receives, Time later) {
  std::vector<Time> starts;
  std::size_t received = 0;
  Time link{};
  Time processor{};
  while (static_cast<int>(starts.size()) < n) {
    Time start = std::max(link, processor);
    while (received < starts.size() && starts[received] + later <= start) {
      processor = std::max(processor, starts[received++] + later) + receives;
      start = std::max(start, processor);
    }
    starts.push_back(start);
    link = start + service;
    processor = start + sends;
  }
  return starts.back();
}

}  // namespace

TEST_CASE("Chip ports: a stored packet takes its whole service in each part of its way") {
  for (const bool stores : {false, true}) {
    for (const Bytes size : {16_B, 1000_B, 4096_B}) {
      CAPTURE(stores);
      CAPTURE(size.count());
      config::MachineSpec spec = two_chips();
      spec.system.sips.link.store_and_forward = stores;
      Rig rig{spec};
      const Flow flow = across(rig, 0, size);
      CHECK(deliver(rig, {flow}).front() == alone(rig, flow, stores));
      CHECK(rig.machine->fabric().attribution().split.queueing == Time{0});
      CHECK_NOTHROW(rig.machine->fabric().audit());
    }
  }
}

TEST_CASE("Chip ports: both ways a packet takes its port to send it and to receive another") {
  constexpr int kPackets = 200;
  for (const Time receives : {0_ns, 90_ns}) {
    for (const Bytes size : {16_B, 2048_B, 4096_B}) {
      CAPTURE(receives.count());
      CAPTURE(size.count());
      config::MachineSpec spec = two_chips();
      spec.system.packet_bytes = size;
      spec.system.sips.link.store_and_forward = true;
      spec.system.sips.link.receive = receives;
      Rig one{spec};
      const Flow single = across(one, 0, size);
      const Time first = deliver(one, {single}).front();
      Rig rig{spec};
      const Time service = spec.system.sips.link.service(size);
      const Time later = 711_ns + service;
      const Time both = first + last_of(kPackets, service, 240_ns, receives, later);
      const std::vector<Time> arrivals =
          deliver(rig, {across(rig, 0, kPackets * size), across(rig, 1, kPackets * size)});
      CHECK(arrivals[0].count() == both.count());
      CHECK(arrivals[1].count() == both.count());
      CHECK_NOTHROW(rig.machine->fabric().audit());
      Rig way{spec};
      CHECK(deliver(way, {across(way, 0, kPackets * size)}).front() ==
            first + (kPackets - 1) * std::max(service, 240_ns));
    }
  }
}

// Long runs: the wire of 4096 bytes takes longer than what the port has to do for two packets.
TEST_CASE("Chip ports: the rate of each way is that of the wire or of the port") {
  CHECK(last_of(1001, 10_ns, 240_ns, 90_ns, 711_ns).count() ==
        doctest::Approx((330_ns * 1000).count()).epsilon(0.01));
  const Time wire = two_chips().system.sips.link.service(4096_B);
  CHECK(wire == 343520_ps);
  CHECK((last_of(1001, wire, 240_ns, 90_ns, 711_ns)).count() ==
        doctest::Approx((wire * 1000).count()).epsilon(0.01));
}

TEST_CASE("Chip ports: on random machines stored packets are as late as the equations say") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec = two_chips();
    spec.system.packet_bytes = Bytes{random.any_of({64, 256, 1000})};
    spec.system.sips.link.store_and_forward = true;
    spec.system.sips.link.packet = Time{0};
    const Bytes size{random.between(1, 5000)};
    Rig stored{spec};
    spec.system.sips.link.store_and_forward = false;
    Rig plain{spec};
    const Time later = deliver(stored, {across(stored, 0, size)}).front();
    const Time sooner = deliver(plain, {across(plain, 0, size)}).front();
    CHECK(later >= sooner);
    CHECK_NOTHROW(stored.machine->fabric().audit());
  }
}

TEST_CASE("Chip ports: where routers switch worms, no packet is stored or received") {
  config::MachineSpec spec = with_routers(two_chips(), "builtin.router_iq");
  spec.system.sips.link.store_and_forward = true;
  CHECK_THROWS_WITH_AS(Rig{spec}, doctest::Contains("system.sips.link.store_and_forward at sip1.io.port_"),
                       Unsupported);
}

TEST_CASE("Chip ports: routers with finite queues take stored packets") {
  config::MachineSpec spec =
      with_routers(two_chips(), "builtin.router_vc", {{"buffer_bytes", std::int64_t{65536}}});
  spec.system.sips.link.store_and_forward = true;
  spec.system.sips.link.receive = 90_ns;
  Rig rig{spec};
  const std::vector<Flow> flows{across(rig, 0, 1_MiB), across(rig, 1, 1_MiB)};
  const std::vector<Time> arrivals = deliver(rig, flows);
  CHECK_NOTHROW(rig.machine->fabric().audit());
  Rig again{spec, {.shuffle_ties = 1}};
  CHECK(deliver(again, flows) == arrivals);
}

}  // namespace kbsim::hw::test::chip_ports_test
