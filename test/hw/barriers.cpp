// Barriers in time: costs, and which PE waits for which.
#include <doctest/doctest.h>

#include "kbsim/hw/pe/standing_barriers.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::barriers_test {
namespace {

struct WaitArgs {
  Time* took = nullptr;
};

Task<> waits_once(TL& tl, WaitArgs args) {
  const Time start = tl.clock();
  co_await tl.barrier();
  *args.took = tl.clock() - start;
}

Task<> waits_thrice(TL& tl, WaitArgs) {
  for (int i = 0; i < 3; ++i) {
    (void)tl.zeros({100 * (1 + tl.program_id(0) + 2 * tl.program_id(1) + i)}, f16);
    co_await tl.sync();
    co_await tl.barrier();
  }
}

// Two at once, awaited in the other order.
Task<> waits_ahead(TL& tl, WaitArgs) {
  auto one = tl.barrier();
  auto two = tl.barrier();
  co_await two;
  CHECK(one.done());
  co_await one;
}

/// Times of each PE, by its number in the SIP.
struct Seen {
  std::vector<Time> came;
  std::vector<Time> went;
};
struct SeenArgs {
  Seen* seen = nullptr;
};

Task<> comes_late(TL& tl, SeenArgs args) {
  const auto me = static_cast<std::size_t>(tl.program_id(1) * 2 + tl.program_id(0));
  (void)tl.zeros({1000 * static_cast<std::int64_t>(4 - me)}, f16);
  co_await tl.sync();
  args.seen->came[me] = tl.clock();
  co_await tl.barrier();
  args.seen->went[me] = tl.clock();
}

const std::vector<PeCoord> kAll{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}};

Task<> launch_all(Rig* rig, KernelCall kernel) {
  std::vector<PeCoord> all = kAll;
  co_await rig->launch(std::move(all), std::move(kernel));
}

Task<> launch_one(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  co_await rig->launch(std::move(one), std::move(kernel));
}

// Two launches, one after the other on each PE; barriers differ by their launches.
Task<> launch_twice(Rig* rig, KernelCall kernel) {
  (void)rig->sim.spawn("another", launch_all(rig, kernel));
  co_await launch_all(rig, std::move(kernel));
}

Task<> first_waits(TL& tl, WaitArgs) {
  if (tl.program_id(0) == 0 && tl.program_id(1) == 1) co_return;
  co_await tl.barrier();
}

// PE 0 has no room for its second tile before it frees the first, at its end.
Task<> first_stalls(TL& tl, WaitArgs) {
  const std::int64_t n = tl.program_id(0) == 0 ? (4 << 20) : 8;
  const Tile one = tl.zeros({n}, f16);
  const Tile two = tl.zeros({n}, f16);
  co_await tl.barrier();
}

Task<> launch_on(Rig* rig, std::vector<PeCoord> pes, KernelCall kernel) {
  co_await rig->launch(std::move(pes), std::move(kernel));
}

Task<> launch_two_that_overlap(Rig* rig, KernelCall kernel) {
  std::vector<PeCoord> first{kAll[1], kAll[2]};
  std::vector<PeCoord> second{kAll[0], kAll[1]};
  (void)rig->sim.spawn("first", launch_on(rig, std::move(first), kernel));
  co_await rig->sim.delay(10_us);
  co_await launch_on(rig, std::move(second), std::move(kernel));
}

Task<> launch_on_a_cube(Rig* rig, KernelCall kernel) {
  std::vector<PeCoord> pes{kAll[0], kAll[1]};
  co_await launch_on(rig, std::move(pes), std::move(kernel));
}

std::vector<StandingBarrier> standing(config::MachineSpec machine, Task<> (*program)(Rig*, KernelCall),
                                      KernelCall kernel) {
  Rig rig{std::move(machine)};
  CHECK_THROWS_AS(rig.run(program(&rig, std::move(kernel))), DeadlockError);
  return hw::standing_barriers(*rig.machine);
}

// To the package's CPU and back.
Expected round_trip(const Rig& rig, PeCoord pe) {
  const topology::Graph& graph = rig.graph;
  const std::vector<NodeId> legs{rig.pe(pe).cpu, graph.cube(pe.sip, pe.cube).m_cpu,
                                 graph.sips()[static_cast<std::size_t>(pe.sip)].io_cpu};
  Expected all;
  for (std::size_t i = 0; i + 1 < legs.size(); ++i) {
    all = all + crossing(way(graph, legs[i], legs[i + 1]), control(graph));
    all = all + crossing(way(graph, legs[i + 1], legs[i]), control(graph));
  }
  return all;
}

std::uint64_t digest(Task<> (*program)(Rig*, KernelCall), KernelCall kernel,
                     const SimulationOptions& options = {}) {
  Rig rig{small_machine(), options};
  rig.run(program(&rig, std::move(kernel)));
  rig.machine->fabric().audit();
  CHECK(hw::standing_barriers(*rig.machine).empty());
  return rig.machine->digest().value();
}

}  // namespace

TEST_CASE("Idle PE: a barrier of one takes a dispatch, and two legs up and down") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random{seed};
    Rig rig{random_machine(random)};
    const PeCoord pe = random_pe(random, *rig.spec);
    CAPTURE(seed);
    Time took{};
    rig.run(launch_one(&rig, pe, bind_kernel("waits", waits_once, WaitArgs{&took})));
    const Time dispatch = from_ns(attr(rig.graph.node(rig.pe(pe).cpu), "dispatch_cycles", 4.0));
    const Expected expected = round_trip(rig, pe) + dispatch;
    CHECK_MESSAGE(meets(took, expected), to_string(took), " expected ", text(expected));
    rig.machine->fabric().audit();
  }
}

TEST_CASE("Barrier: none goes before the last has arrived, and all are released") {
  Seen seen{.came = std::vector<Time>(4), .went = std::vector<Time>(4)};
  Rig rig{small_machine()};
  rig.run(launch_all(&rig, bind_kernel("late", comes_late, SeenArgs{&seen})));
  const Time last = *std::ranges::max_element(seen.came);
  CHECK(last == seen.came[0]);  // it is released first
  for (std::size_t pe = 0; pe < 4; ++pe) CHECK(seen.went[pe] > last);
  CHECK(meets(seen.went[0] - last, round_trip(rig, kAll[0]) + 4_ns));
}

TEST_CASE("Barrier: the PEs of a launch may meet again and again, and of launches each has its own") {
  (void)digest(launch_all, bind_kernel("thrice", waits_thrice, WaitArgs{}));
  (void)digest(launch_all, bind_kernel("ahead", waits_ahead, WaitArgs{}));
  (void)digest(launch_twice, bind_kernel("thrice", waits_thrice, WaitArgs{}));
}

TEST_CASE("Barrier: of those missing in one that stands it is known whether they ended, wait or stall") {
  using Absence = StandingBarrier::Absence;
  const auto two =
      standing(small_machine(), launch_two_that_overlap, bind_kernel("but one", first_waits, WaitArgs{}));
  REQUIRE(two.size() == 2);
  CHECK(two[0].come == std::vector{kAll[0]});
  REQUIRE(two[0].missing.size() == 1);
  CHECK(two[0].missing[0].pe == kAll[1]);
  CHECK(two[0].missing[0].why == Absence::queued);
  CHECK(two[1].come == std::vector{kAll[1]});
  REQUIRE(two[1].missing.size() == 1);
  CHECK(two[1].missing[0].pe == kAll[2]);
  CHECK(two[1].missing[0].why == Absence::ended);

  config::MachineSpec machine = small_machine();
  machine.pe.tcm.on_full = config::OnFull::stall;
  const auto one = standing(machine, launch_on_a_cube, bind_kernel("stalls", first_stalls, WaitArgs{}));
  REQUIRE(one.size() == 1);
  CHECK(one[0].come == std::vector{kAll[1]});
  REQUIRE(one[0].missing.size() == 1);
  CHECK(one[0].missing[0].why == Absence::stalled);
}

TEST_CASE("Barrier: no order of events of one time shows") {
  const KernelCall kernel = bind_kernel("thrice", waits_thrice, WaitArgs{});
  const std::uint64_t expected = digest(launch_twice, kernel);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    CHECK(digest(launch_twice, kernel, {.shuffle_ties = seed}) == expected);
}

}  // namespace kbsim::hw::test::barriers_test
