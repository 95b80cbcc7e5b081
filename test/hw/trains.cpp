// Messages of very many packets: as fast as if all packets were there at once.
#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::trains_test {
namespace {

struct Write {
  PeCoord to;
  Bytes bytes;
  Time at{};
  int rank = 0;
};

using Ends = std::vector<Time>;

Task<> write(Rig* rig, Write what, Time* end) {
  co_await rig->sim.delay(what.at);
  co_await hw::host_of(*rig->machine).write(what.rank, rig->hbm(what.to), 0, {{}, 0, what.bytes.count()});
  *end = rig->sim.now();
}

struct Outcome {
  Ends ends;
  std::vector<Time> busy;  // of each link, and how long packets waited for it
  std::vector<Time> waited;
  std::uint64_t events = 0;
};

// A run with traced messages has no trains.
Outcome run(const std::vector<Write>& writes, bool traced, Bytes packet, bool finite = false,
            std::optional<std::uint64_t> shuffle = {}) {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = packet;
  spec.system.sips.count = 2;
  if (finite) spec.cube.noc.router.impl = "builtin.router_vc";
  Rig rig{spec, {.shuffle_ties = shuffle}};
  if (traced) rig.machine->fabric().trace_messages();
  Outcome outcome{.ends = Ends(writes.size())};
  for (std::size_t i = 0; i < writes.size(); ++i)
    (void)rig.sim.spawn("write", write(&rig, writes[i], &outcome.ends[i]));
  rig.sim.run();
  rig.machine->fabric().audit();
  for (const LiveLink& link : rig.machine->fabric().links()) {
    outcome.busy.push_back(link.lane.busy());
    outcome.waited.push_back(link.lane.waited());
  }
  outcome.events = rig.sim.events();
  return outcome;
}

void check_same(const std::vector<Write>& writes, Bytes packet, bool finite = false) {
  const Outcome whole = run(writes, true, packet, finite);
  for (const std::optional<std::uint64_t> shuffle : {std::optional<std::uint64_t>{}, {1}, {2}}) {
    const Outcome train = run(writes, false, packet, finite, shuffle);
    CHECK(train.ends == whole.ends);
    CHECK(train.busy == whole.busy);
    CHECK(train.waited == whole.waited);
  }
}

}  // namespace

TEST_CASE("Fabric: a train of packets takes the time of packets that are all there at once") {
  for (const Bytes packet : {64_B, 256_B, 1000_B}) {
    CAPTURE(packet.count());
    check_same({{.to = {0, 0, 0}, .bytes = 1_MiB}}, packet);
    check_same({{.to = {0, 1, 1}, .bytes = 1_MiB + 1_B}}, packet);
    check_same({{.to = {0, 1, 1}, .bytes = 1_MiB + packet - 1_B}}, packet);
  }
}

TEST_CASE(
    "Fabric: a packet that asks while a train is under way waits for all of it, and trains go in their "
    "order") {
  std::vector<Write> writes{{.to = {0, 0, 0}, .bytes = 2_MiB, .at = 100_ns, .rank = 1},
                            {.to = {1, 0, 0}, .bytes = 1_MiB, .at = 100_ns, .rank = 0},
                            {.to = {0, 1, 0}, .bytes = 64_B, .at = 100_ns, .rank = 0}};
  for (int i = 0; i < 40; ++i) writes.push_back({.to = {i % 2, 1, 1}, .bytes = 300_B, .at = i * 997_ns});
  check_same(writes, 256_B);
  check_same(writes, 256_B, true);
}

TEST_CASE("Fabric: a train makes its packets as they leave: fewer events for more bytes") {
  const std::vector<Write> one{{.to = {0, 0, 0}, .bytes = 4_MiB}};
  CHECK(run(one, false, 256_B).events < run(one, true, 256_B).events - 15'000);
}

}  // namespace kbsim::hw::test::trains_test
