#include "kbsim/sim/semaphore.hpp"

#include "kbsim/sim/deadlock.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::semaphore_test {
namespace {

Task<> hold(Simulation* sim, Semaphore* places, Trace* trace, std::string name, Time d) {
  co_await places->take();
  note(trace, *sim, name + " in");
  co_await sim->delay(d);
  places->give();
  note(trace, *sim, name + " out");
}
Task<> take(Semaphore* places) { co_await places->take(); }
Task<> cancel_then_give(Simulation* sim, Semaphore* places, const Process* waiter) {
  co_await sim->delay(1_ns);
  waiter->cancel();
  places->give();
}

}  // namespace

TEST_CASE("Semaphore: as many processes as there are places hold one, and the first that waits is the next") {
  Simulation sim;
  Semaphore places{sim, "s", 2};
  Trace trace;
  for (const char* name : {"a", "b", "c", "d"})
    sim.spawn(name, hold(&sim, &places, &trace, name, name[0] == 'a' ? 3_ns : 5_ns));
  sim.run();
  CHECK(trace == Trace{"a in@0 ns", "b in@0 ns", "a out@3 ns", "c in@3 ns", "b out@5 ns", "d in@5 ns",
                       "c out@8 ns", "d out@10 ns"});
  CHECK(places.free() == 2);
}

TEST_CASE("Semaphore: a place that is free costs no event, and one that is handed over costs one") {
  Simulation sim;
  Semaphore places{sim, "s", 1};
  Trace trace;
  sim.spawn("a", hold(&sim, &places, &trace, "a", 1_ns));
  sim.run();
  CHECK(sim.events() == 2);  // its start, its delay
  for (const char* name : {"a", "b"}) sim.spawn(name, hold(&sim, &places, &trace, name, 1_ns));
  sim.run();
  CHECK(sim.events() == 2 + 5);
}

TEST_CASE("Semaphore: try_take never waits, and waiting processes come before those that try") {
  Simulation sim;
  Semaphore places{sim, "s", 1};
  CHECK(places.try_take());
  CHECK(!places.try_take());
  CHECK(places.free() == 0);
  sim.spawn("waits", take(&places));
  sim.spawn("gives", [](Semaphore* s) -> Task<> {
    s->give();
    CHECK(!s->try_take());
    co_return;
  }(&places));
  sim.run();
  places.give();
  CHECK(places.free() == 1);
}

TEST_CASE("Semaphore: a cancelled waiter leaves the line") {
  Simulation sim;
  Semaphore places{sim, "s", 0};
  const Process waiter = sim.spawn("waiter", take(&places));
  sim.spawn("canceller", cancel_then_give(&sim, &places, &waiter));
  sim.run();
  CHECK(places.free() == 1);
}

TEST_CASE("Semaphore: with no place a wait for ever is a deadlock that names it") {
  Simulation sim;
  Semaphore none{sim, "seats", 0};
  sim.spawn("p", take(&none));
  try {
    sim.run();
    FAIL("run() must throw");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waiting().size() == 1);
    CHECK(error.waiting()[0].what == "semaphore seats");
  }
}

}  // namespace kbsim::test::semaphore_test
