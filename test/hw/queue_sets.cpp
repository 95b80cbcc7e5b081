// Several sets of queues on one PE: a kernel uses the sets of its launch.
#include <cstdio>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_queue_state.hpp"

#include "../tl/wait_graphs.hpp"
#include "harness.hpp"

namespace kbsim::hw::test::queue_sets_test {
namespace {

// The hub calls both "peer": in the set "left" it is one, in "right" the other.
constexpr PeCoord kHub{0, 0, 0};
constexpr PeCoord kLeft{0, 0, 1};
constexpr PeCoord kRight{0, 1, 0};
constexpr Shape kShape{16};

QueueSet set_of(const std::string& name, PeCoord peer, topology::PhysAddr mine, topology::PhysAddr theirs,
                Bytes credit) {
  const QueuePairPlan queue{.direction = "peer", .peer = peer, .my_base = mine, .peer_base = theirs};
  return {
      .queues = {queue}, .settings = {.slots = 1, .slot_size = 64_B, .credit_size = credit}, .name = name};
}

Task<> install(Rig* rig, PeCoord pe, InstallQueues queues) {
  std::vector<ControlTarget> target{{.pe = pe, .action = std::move(queues), .size = {}}};
  co_await rig->order(std::move(target));
}

Task<> wire(Rig* rig) {
  const auto ring = [rig](PeCoord pe) { return rig->ring(pe, topology::Region::ipcq); };
  InstallQueues hub;
  hub.sets = {set_of("left", kLeft, ring(kHub), ring(kLeft), 16_B),
              set_of("right", kRight, ring(kHub) + 4_KiB, ring(kRight), 32_B)};
  co_await install(rig, kHub, hub);
  co_await install(rig, kLeft, set_of("left", kHub, ring(kLeft), ring(kHub), 16_B));
  co_await install(rig, kRight, set_of("right", kHub, ring(kRight), ring(kHub) + 4_KiB, 32_B));
}

// A tile of another tag than the one asked for is a fault.
struct Args {
  int tag = 0;
  int times = 1;
};

Task<> sends(TL& tl, Args args) {
  for (int i = 0; i < args.times; ++i) {
    const Tile tile = tl.zeros(kShape, f16);
    co_await tl.send({.dir = {"peer"}, .src = tile, .tag = args.tag});
  }
}

Task<> receives(TL& tl, Args args) {
  for (int i = 0; i < args.times; ++i) co_await tl.recv({.dir = {"peer"}, .shape = kShape, .tag = args.tag});
}

Task<> receives_any(TL& tl, Args args) { co_await tl.recv({.shape = kShape, .tag = args.tag}); }

Task<> sends_elsewhere(TL& tl, Args) {
  const Tile tile = tl.zeros(kShape, f16);
  co_await tl.send({.dir = {"elsewhere"}, .src = tile});
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel, std::string set) {
  const auto call = std::make_shared<const KernelCall>(std::move(kernel));
  std::vector<ControlTarget> target{{.pe = pe, .action = Launch{.kernel = call, .queues = set}, .size = {}}};
  co_await rig->order(std::move(target));
}

// Both neighbours send before the hub looks, the left one more than its slot holds.
Task<> right_then_left(Rig* rig) {
  co_await wire(rig);
  Process left = rig->sim.spawn(
      "left", launch(rig, kLeft, bind_kernel("sends", sends, Args{.tag = 1, .times = 3}), "left"));
  co_await launch(rig, kRight, bind_kernel("sends", sends, Args{.tag = 2}), "right");
  co_await rig->sim.delay(10_us);
  co_await launch(rig, kHub, bind_kernel("any", receives_any, Args{.tag = 2}), "right");
  co_await launch(rig, kHub, bind_kernel("receives", receives, Args{.tag = 1, .times = 3}), "left");
  co_await left.join();
}

Task<> first_set(Rig* rig) {
  co_await wire(rig);
  co_await launch(rig, kHub, bind_kernel("sends", sends, Args{.tag = 5}), "");
  co_await launch(rig, kLeft, bind_kernel("receives", receives, Args{.tag = 5}), "left");
}

Task<> hub_alone(Rig* rig, KernelCall kernel, std::string set) {
  co_await wire(rig);
  co_await launch(rig, kHub, std::move(kernel), std::move(set));
}

Task<> install_nothing_twice(Rig* rig) {
  QueueSet empty;
  empty.name = "alone";
  co_await install(rig, kHub, empty);
  co_await install(rig, kHub, empty);
}

Task<> remove(Rig* rig, PeCoord pe, std::string set) {
  std::vector<ControlTarget> target{{.pe = pe, .action = RemoveQueues{.sets = {set}}, .size = {}}};
  co_await rig->order(std::move(target));
}

// A tile arrives from the left PE, and its credit goes back, before the queues of the two are gone.
Task<> talk_to_left(Rig* rig, std::string set, Args args) {
  Process left = rig->sim.spawn("left", launch(rig, kLeft, bind_kernel("sends", sends, args), set));
  co_await launch(rig, kHub, bind_kernel("receives", receives, args), set);
  co_await left.join();
}

// The ring of `right` may lie where that of `left` was.
Task<> change_sets(Rig* rig) {
  co_await wire(rig);
  co_await talk_to_left(rig, "left", {.tag = 1, .times = 3});
  co_await remove(rig, kLeft, "left");
  co_await remove(rig, kHub, "left");
  const auto ring = [rig](PeCoord pe) { return rig->ring(pe, topology::Region::ipcq); };
  InstallQueues hub = set_of("again", kLeft, ring(kHub), ring(kLeft), 16_B);
  InstallQueues left = set_of("again", kHub, ring(kLeft), ring(kHub), 16_B);
  hub.beside = left.beside = true;
  co_await install(rig, kHub, hub);
  co_await install(rig, kLeft, left);
  co_await talk_to_left(rig, "again", {.tag = 2, .times = 3});
  co_await launch(rig, kRight, bind_kernel("sends", sends, Args{.tag = 3}), "right");
  co_await launch(rig, kHub, bind_kernel("receives", receives, Args{.tag = 3}), "right");
}

Task<> install_right_again(Rig* rig) {
  co_await wire(rig);
  const auto ring = [rig](PeCoord pe) { return rig->ring(pe, topology::Region::ipcq); };
  InstallQueues again = set_of("right", kRight, ring(kHub) + 8_KiB, ring(kRight), 32_B);
  again.beside = true;
  co_await install(rig, kHub, again);
}

Task<> remove_with_a_tile(Rig* rig) {
  co_await wire(rig);
  co_await launch(rig, kLeft, bind_kernel("sends", sends, Args{.tag = 1}), "left");
  co_await rig->sim.delay(10_us);
  co_await remove(rig, kHub, "left");
}

Task<> remove_unknown(Rig* rig) {
  co_await wire(rig);
  co_await remove(rig, kHub, "elsewhere");
}

std::string fault_of(Task<> (*program)(Rig*)) {
  Rig rig{small_machine()};
  try {
    rig.run(program(&rig));
  } catch (const Error& found) {
    return found.what();
  }
  return "";
}

std::string fault(const std::string& set) {
  Rig rig{small_machine()};
  try {
    rig.run(hub_alone(&rig, bind_kernel("elsewhere", sends_elsewhere, Args{}), set));
  } catch (const Error& found) {
    return found.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Queue sets: a label leads where it does in the kernel's own set; the other set's tiles wait") {
  Rig rig{small_machine()};
  rig.run(right_then_left(&rig));
  std::vector<QueueEnd> ends;
  rig.machine->at<IQueueState>(rig.pe(kHub).ipcq).add_ends(ends);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].direction == "peer");
  CHECK(ends[0].in_use);
  CHECK(ends[0].peer_head == 3);
  CHECK(ends[0].my_tail == 3);
  CHECK(ends[1].direction == "right.peer");
  CHECK(!ends[1].in_use);
  CHECK(ends[1].peer_head == 1);
  CHECK(ends[1].my_tail == 1);
}

TEST_CASE("Queue sets: a trace distinguishes queues of equal labels") {
  Rig rig{small_machine()};
  std::FILE* const file = std::tmpfile();
  rig.machine->queue_trace().print_to(file);
  rig.run(right_then_left(&rig));
  rig.machine->queue_trace().flush();
  std::rewind(file);
  std::string text(1 << 16, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  (void)std::fclose(file);
  CHECK(text.find("sip0.cube0.pe0 recv right.peer 32 B #0") != std::string::npos);
  CHECK(text.find("sip0.cube0.pe0 recv left.peer 32 B #2") != std::string::npos);
  CHECK(text.find("sip0.cube0.pe1 send peer 32 B #0") != std::string::npos);  // it has one set
}

TEST_CASE("Queue sets: a kernel launched without a name has the first set of its PE") {
  Rig rig{small_machine()};
  CHECK_NOTHROW(rig.run(first_set(&rig)));
}

TEST_CASE("Queue sets: a label that the kernel's set lacks, and a set that isn't there, are faults") {
  CHECK(fault("right").find("no queue 'elsewhere' on sip0.cube0.pe0; installed for right: peer") !=
        std::string::npos);
  CHECK(fault("none").find("no queue 'elsewhere' on sip0.cube0.pe0; installed for none: none") !=
        std::string::npos);
}

TEST_CASE("Queue sets: a second install is an error, be the first one's sets empty") {
  Rig rig{small_machine()};
  std::string text;
  try {
    rig.run(install_nothing_twice(&rig));
  } catch (const Error& found) {
    text = found.what();
  }
  CHECK(text.find("the queues of sip0.cube0.pe0 are installed already") != std::string::npos);
}

TEST_CASE("Queue sets: one is taken away, and another, beside those that stay, has its rings") {
  Rig rig{small_machine()};
  rig.run(change_sets(&rig));
  std::vector<QueueEnd> ends;
  rig.machine->at<IQueueState>(rig.pe(kHub).ipcq).add_ends(ends);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].direction == "peer");  // of "right", which is in use
  CHECK(ends[0].my_tail == 1);
  CHECK(ends[1].direction == "again.peer");
  CHECK(ends[1].my_tail == 3);
}

TEST_CASE("Queue sets: one that is there already isn't set up beside itself") {
  CHECK(fault_of(install_right_again).find("the queues of sip0.cube0.pe0 are installed already") !=
        std::string::npos);
}

TEST_CASE("Queue sets: one with an unreceived tile, or a missing one, can't be removed") {
  const std::string text = fault_of(remove_with_a_tile);
  CAPTURE(text);
  CHECK(text.find("its queue is taken away") != std::string::npos);
  CHECK(fault_of(remove_unknown).find("no queues of elsewhere on sip0.cube0.pe0 to take away") !=
        std::string::npos);
}

TEST_CASE(
    "Queue sets: a wait is reported with the kernel's own queues, counters of all by their sets' names") {
  Rig rig{small_machine()};
  WaitGraph graph;
  try {
    rig.run(hub_alone(&rig, bind_kernel("any", receives_any, Args{}), "right"));
  } catch (const DeadlockError& deadlock) {
    std::vector<QueueEnd> ends;
    for (const PeCoord pe : {kHub, kLeft, kRight})
      rig.machine->at<IQueueState>(rig.pe(pe).ipcq).add_ends(ends);
    graph = kbsim::test::queue_waits(deadlock.waiting(), ends);
  }
  REQUIRE(graph.edges.size() == 1);
  CHECK(graph.edges[0].why ==
        "sip0.cube0.pe0 recv of any ← sip0.cube1.pe0 send peer: never issued, and no kernel runs there");
  REQUIRE(graph.nodes[0].counters.size() == 2);
  CHECK(graph.nodes[0].counters[0].of == "sip0.cube0.pe0 left.peer with sip0.cube0.pe1 peer");
  CHECK(graph.nodes[0].counters[1].of == "sip0.cube0.pe0 peer with sip0.cube1.pe0 peer");
}

}  // namespace kbsim::hw::test::queue_sets_test
