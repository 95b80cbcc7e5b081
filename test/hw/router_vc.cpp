// Input-queued routers in whole machines: equal to output-queued ones when alone, sound under load.
#include <doctest/doctest.h>

#include "kbsim/hw/memory/slot_messages.hpp"
#include "kbsim/hw/pe/slot_credit.hpp"

#include "random_machine.hpp"
#include "routers.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::router_vc_test {
namespace {

config::MachineSpec with_vcs(config::MachineSpec spec, int vcs, Bytes buffer) {
  return with_routers(std::move(spec), "builtin.router_vc",
                      {{"vcs", std::int64_t{vcs}}, {"buffer_bytes", buffer.count()}});
}

config::MachineSpec few_vcs(Random&, const config::MachineSpec& spec) { return with_vcs(spec, 8, 4096_B); }

}  // namespace

TEST_CASE("Router VC: on an idle network exactly as fast as the output-queued router") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(varied_machine(random));
    Rig plain{spec};
    Rig queued{with_vcs(spec, random.between(8, 9), 1_MiB)};
    const std::vector<Flow> flow{random_flow(random, plain)};
    CHECK(deliver(queued, flow) == deliver(plain, flow));
    const auto& a = queued.machine->fabric().attribution();
    const auto& b = plain.machine->fabric().attribution();
    CHECK(a.split.overhead == b.split.overhead);
    CHECK(a.split.queueing == b.split.queueing);
  }
}

TEST_CASE("Router VC: under load all arrives, never sooner than alone, and no credit is lost") {
  check_under_load(few_vcs);
}

TEST_CASE("Router VC: no order of ties changes when anything arrives") { check_ties(few_vcs); }

namespace {

// Arrival of a credit that leaves a PE right after `data` bytes of slot data, on the same route.
Time credit_behind_data(const config::MachineSpec& spec, Bytes data) {
  Rig rig{spec};
  const NodeId from = rig.pe({0, 0, 0}).dma;
  const NodeId to = rig.hbm({0, 1, 1});
  hw::Fabric& fabric = rig.machine->fabric();
  if (data > 0_B) fabric.send(fabric.make(from, to, data, hw::TrafficClass::ipcq, hw::SlotWrite{}));
  hw::MessagePtr credit = fabric.make(from, to, 16_B, hw::TrafficClass::credit, hw::SlotCredit{});
  credit->origin = 1;
  fabric.send(std::move(credit));
  rig.sim.run();
  for (const Sink::Delivery& delivery : rig.machine->at<Sink>(to).deliveries()) {
    if (delivery.origin == 1) return delivery.at;
  }
  return kForever;
}

}  // namespace

TEST_CASE("Router VC: a credit has a channel of its own, and passes the data of its queue") {
  const config::MachineSpec plain = with_sinks(small_machine());
  const config::MachineSpec queued = with_vcs(plain, 8, 4096_B);
  const Time alone = credit_behind_data(plain, 0_B);
  const Time of_packet = plain.pe.link.serialization(256_B);
  CHECK(credit_behind_data(queued, 0_B) == alone);
  CHECK(credit_behind_data(plain, 16_KiB) >= alone + 64 * of_packet);
  CHECK(credit_behind_data(queued, 16_KiB) <= alone + 4 * of_packet);
}

TEST_CASE("Router VC: too few channels, and buffers that can't hold a packet, are errors with a place") {
  CHECK_THROWS_WITH_AS(Rig{with_vcs(small_machine(), 3, 4096_B)},
                       doctest::Contains("vcs: expected at least 4"), ConfigError);
  CHECK_THROWS_WITH_AS(Rig{with_vcs(small_machine(), 4, 128_B)},
                       doctest::Contains("buffer_bytes: 128 B can't hold a packet of 256 B"), ConfigError);
  config::MachineSpec uncut = with_vcs(with_sinks(small_machine()), 4, 128_B);
  uncut.system.packet_bytes = 0_B;
  Rig rig{uncut};
  const std::vector<Flow> flow{{rig.pe({0, 0, 0}).dma, rig.hbm({0, 1, 0}), 256_B}};
  CHECK_THROWS_WITH_AS((void)deliver(rig, flow), doctest::Contains("buffer_bytes: 128 B can't hold"), Error);
}

}  // namespace kbsim::hw::test::router_vc_test
