// Slots of links between chips: packets that wait for them, and rings with a bubble.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/route.hpp"

#include "mixed_program.hpp"
#include "random_machine.hpp"
#include "routers.hpp"
#include "sanitized.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::chip_slots_test {
namespace {

using config::SipTopology;

// Packages of one die each, which send packets of 1000 bytes over links of 10 GB/s and 500 ns.
config::MachineSpec chips(int count, SipTopology topology) {
  config::MachineSpec spec = with_sinks(small_machine());
  spec.system.sips.count = count;
  spec.system.sips.topology = topology;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.system.packet_bytes = 1000_B;
  spec.system.sips.link = {.bandwidth = Bandwidth::gbs(10.0), .latency = 500_ns};
  spec.system.sips.link.store_and_forward = true;
  return spec;
}

Flow between(const Rig& rig, int from, int to, Bytes size) {
  return {rig.pe({from, 0, 0}).dma, rig.hbm({to, 0, 1}), size};
}

// The time from a packet's start on the link until its slot is free for another: the packet is stored, leaves
// its port for the IO NOC, and the credit comes back over the wire.
Time slot_cycle(const Rig& rig, const Flow& flow, Bytes packet) {
  topology::Routes routes{rig.graph};
  const topology::Route& route = routes(flow.from, flow.to);
  for (std::size_t i = 0; i + 1 < route.size(); ++i) {
    const topology::Link& link = rig.graph.link(route[i]);
    if (link.slots == nullptr) continue;
    const topology::Link& next = rig.graph.link(route[i + 1]);
    return service_time(link, packet) + link.wire + overhead(rig.graph.node(next.from)) +
           service_time(next, packet) + link.wire;
  }
  return Time{};
}

}  // namespace

TEST_CASE(
    "Slots: a packet starts when the link is free and a slot is, and the rate is credits a round trip") {
  constexpr int kPackets = 40;
  const Bytes packet = 1000_B;
  for (int credits = 0; credits <= 20; ++credits) {
    CAPTURE(credits);
    config::MachineSpec spec = chips(2, SipTopology::mesh_2d_no_wrap);
    spec.system.sips.link.credits = credits;
    Rig one{spec};
    const Time first = deliver(one, {between(one, 0, 1, packet)}).front();
    Rig rig{spec};
    const Flow flow = between(rig, 0, 1, kPackets * packet);
    const Time cycle = slot_cycle(rig, flow, packet);
    std::vector<Time> starts;
    for (int i = 0; i < kPackets; ++i) {
      Time start = i > 0 ? starts.back() + spec.system.sips.link.service(packet) : Time{0};
      if (credits > 0 && i >= credits)
        start = std::max(start, starts[static_cast<std::size_t>(i - credits)] + cycle);
      starts.push_back(start);
    }
    CHECK(deliver(rig, {flow}).front().count() == (first + starts.back()).count());
    CHECK_NOTHROW(rig.machine->fabric().audit());
  }
}

// The second package passes on what the first one sends to the third, and its own packets. A slot that is
// held there until the packet goes on makes the first one wait for the third's slots.
TEST_CASE("Slots: on its way a packet keeps a slot until it has one of the next link") {
  constexpr int kPackets = 30;
  config::MachineSpec spec = chips(3, SipTopology::mesh_2d_no_wrap);
  spec.system.sips.w = 3;
  spec.system.sips.h = 1;
  const auto took = [&](int credits) {
    spec.system.sips.link.credits = credits;
    Rig rig{spec};
    const std::vector<Time> arrivals =
        deliver(rig, {between(rig, 0, 2, kPackets * 1000_B), between(rig, 1, 2, kPackets * 1000_B)});
    rig.machine->fabric().audit();
    return arrivals;
  };
  const std::vector<Time> endless = took(0);
  const std::vector<Time> one = took(1);
  // Both flows take turns at the second link, a packet a round trip.
  Rig rig{spec};
  const Time cycle = slot_cycle(rig, between(rig, 1, 2, 1000_B), 1000_B);
  CHECK(one[0] > (2 * kPackets - 2) * cycle);
  CHECK(one[0] > endless[0]);
  // With slots, own packets and those on their way take turns. The last one comes when it came without.
  CHECK(std::ranges::max(took(1000)) == std::ranges::max(endless));
}

TEST_CASE("Slots: a saturated ring with a bubble never stops, whichever way and however few slots") {
  for (const SipTopology topology :
       {SipTopology::ring_1d, SipTopology::ring_1d_unidir, SipTopology::torus_2d}) {
    for (const int credits : {2, 3, 5}) {
      CAPTURE(topology);
      CAPTURE(credits);
      config::MachineSpec spec = chips(topology == SipTopology::torus_2d ? 16 : 6, topology);
      spec.system.sips.link.credits = credits;
      spec.system.sips.bubble = true;
      const auto all_to_all = [&](std::optional<std::uint64_t> shuffle) {
        Rig rig{spec, {.shuffle_ties = shuffle}};
        std::vector<Flow> flows;
        for (int from = 0; from < spec.system.sips.count; ++from) {
          for (int to = 0; to < spec.system.sips.count; ++to)
            if (to != from) flows.push_back(between(rig, from, to, 20 * 1000_B));
        }
        std::vector<Time> arrivals = deliver(rig, flows);
        rig.machine->fabric().audit();
        return arrivals;
      };
      const std::vector<Time> arrivals = all_to_all(std::nullopt);
      CHECK(std::ranges::all_of(arrivals, [](Time at) { return at > Time{0}; }));
      CHECK(all_to_all(7) == arrivals);
    }
  }
}

TEST_CASE("Slots: no order of simultaneous events changes what runs on random machines do") {
  for (int seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Random random{static_cast<std::uint64_t>(seed)};
    const config::MachineSpec spec = with_slots(random, varied_machine(random));
    const auto digest = [&](std::optional<std::uint64_t> shuffle) {
      Rig rig{spec, {.shuffle_ties = shuffle}};
      start_mixed_program(rig, seed);
      rig.sim.run();
      rig.machine->fabric().audit();
      return to_string(rig.machine->digest());
    };
    const std::string expected = digest(std::nullopt);
    for (std::uint64_t shuffle = 1; shuffle <= kbsim::test::fewer(10); ++shuffle)
      CHECK(digest(shuffle) == expected);
  }
}

TEST_CASE("Slots: links to finite queues, and routers that switch worms, have none") {
  config::MachineSpec spec = chips(2, SipTopology::mesh_2d_no_wrap);
  spec.system.sips.link.store_and_forward = false;
  spec.system.sips.link.credits = 4;
  CHECK_THROWS_WITH_AS((Rig{with_routers(spec, "builtin.router_iq")}),
                       doctest::Contains(", in a machine with routers that switch worms"), Unsupported);
  CHECK_NOTHROW((Rig{with_routers(spec, "builtin.router_vc", {{"buffer_bytes", std::int64_t{65536}}})}));
}

}  // namespace kbsim::hw::test::chip_slots_test
