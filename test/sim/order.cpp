#include <algorithm>

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::order_test {
namespace {

Task<> decide_late(Simulation* sim, Trace* trace, std::string what, Time d) {
  co_await sim->delay(d);
  co_await sim->late();
  note(trace, *sim, what);
}

Task<> late_then_arrival_then_late(Simulation* sim, Trace* trace) {
  co_await sim->late();
  note(trace, *sim, "late 1");
  co_await sim->delay(Time::zero());
  note(trace, *sim, "arrival 2");
  co_await sim->late();
  note(trace, *sim, "late 2");
}

Task<> late_twice(Simulation* sim, Trace* trace) {
  co_await sim->late();
  note(trace, *sim, "first batch");
  co_await sim->late();
  note(trace, *sim, "second batch");
}

Task<> spawn_in_late(Simulation* sim, Trace* trace) {
  co_await sim->late();
  sim->spawn("child", note_after(sim, trace, "child", Time::zero()));
  note(trace, *sim, "parent");
}

Trace run_ties(std::optional<std::uint64_t> seed, bool late) {
  Simulation sim{{.shuffle_ties = seed}};
  Trace trace;
  for (int i = 0; i < 8; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    if (late) {
      sim.spawn(name, decide_late(&sim, &trace, name, 1_ns));
    } else {
      sim.spawn(name, note_after(&sim, &trace, name, 1_ns));
    }
  }
  sim.run();
  return trace;
}

}  // namespace

TEST_CASE("Simulation: processes start at the present time in the order of their spawns") {
  Simulation sim;
  Trace trace;
  sim.spawn("a", note_after(&sim, &trace, "a", Time::zero()));
  sim.serve("b", note_after(&sim, &trace, "b", Time::zero()));
  sim.spawn("c", note_after(&sim, &trace, "c", Time::zero()));
  CHECK(trace.empty());
  sim.run();
  CHECK(trace == Trace{"a@0 ns", "b@0 ns", "c@0 ns"});
}

TEST_CASE("Simulation: events of one time run in schedule order, whatever the distance they came from") {
  Simulation sim;
  Trace trace;
  sim.spawn("far", note_after(&sim, &trace, "far", 1'000'000_ns));
  sim.spawn("relay", [](Simulation* s, Trace* t) -> Task<> {
    co_await s->delay(999'999_ns);
    s->spawn("near", note_after(s, t, "near", 1_ns));
  }(&sim, &trace));
  sim.spawn("far too", note_after(&sim, &trace, "far too", 1'000'000_ns));
  sim.run();
  CHECK(trace == Trace{"far@1000000 ns", "far too@1000000 ns", "near@1000000 ns"});
}

TEST_CASE("Simulation: all arrivals of a time run before its lates") {
  Simulation sim;
  Trace trace;
  sim.spawn("l", decide_late(&sim, &trace, "late", 5_ns));
  sim.spawn("a", note_after(&sim, &trace, "a", 5_ns));
  sim.spawn("b", note_after(&sim, &trace, "b", 5_ns));
  sim.run();
  CHECK(trace == Trace{"a@5 ns", "b@5 ns", "late@5 ns"});
}

TEST_CASE("Simulation: what a late schedules for the same time arrives after its batch") {
  Simulation sim;
  Trace trace;
  sim.spawn("p", spawn_in_late(&sim, &trace));
  sim.spawn("l", late_twice(&sim, &trace));
  sim.run();
  CHECK(trace == Trace{"parent@0 ns", "first batch@0 ns", "child@0 ns", "second batch@0 ns"});
}

TEST_CASE("Simulation: phases of one time alternate until both are empty") {
  Simulation sim;
  Trace trace;
  sim.spawn("x", late_then_arrival_then_late(&sim, &trace));
  sim.spawn("y", late_twice(&sim, &trace));
  sim.run();
  CHECK(trace ==
        Trace{"late 1@0 ns", "first batch@0 ns", "arrival 2@0 ns", "second batch@0 ns", "late 2@0 ns"});
}

TEST_CASE("Simulation: shuffled ties are a permutation that depends on the seed alone") {
  for (const bool late : {false, true}) {
    const Trace in_order = run_ties({}, late);
    bool differs = false;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Trace shuffled = run_ties(seed, late);
      CHECK(shuffled == run_ties(seed, late));
      differs = differs || shuffled != in_order;
      std::ranges::sort(shuffled);
      CHECK(shuffled == in_order);
    }
    CHECK(differs);
  }
}

TEST_CASE("Simulation: shuffling keeps arrivals before lates") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Simulation sim{{.shuffle_ties = seed}};
    Trace trace;
    sim.spawn("l", decide_late(&sim, &trace, "late", 5_ns));
    sim.spawn("a", note_after(&sim, &trace, "a", 5_ns));
    sim.spawn("b", note_after(&sim, &trace, "b", 5_ns));
    sim.run();
    CHECK(trace.back() == "late@5 ns");
  }
}

}  // namespace kbsim::test::order_test
