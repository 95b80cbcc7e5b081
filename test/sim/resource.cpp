#include "kbsim/sim/resource.hpp"

#include <optional>

#include "doctest/doctest.h"
#include "trace.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

Task<> hold(Simulation* sim, Resource* resource, Trace* trace, std::string name, std::int64_t n, Time d) {
  const Resource::Grant grant = co_await resource->acquire(n);
  note(trace, *sim, name + " has " + std::to_string(grant.units()));
  co_await sim->delay(d);
}

Task<> acquire_too_much(Resource* resource) { const Resource::Grant grant = co_await resource->acquire(3); }

}  // namespace

TEST_CASE("Resource: grants in the order of the requests, and a large one isn't overtaken") {
  Simulation sim;
  Resource slots{sim, "slots", 3};
  Trace trace;
  sim.spawn("a", hold(&sim, &slots, &trace, "a", 2, 10_ns));
  sim.spawn("b", hold(&sim, &slots, &trace, "b", 2, 10_ns));
  sim.spawn("c", hold(&sim, &slots, &trace, "c", 1, 10_ns));
  sim.run();
  CHECK(trace == Trace{"a has 2@0 ns", "b has 2@10 ns", "c has 1@10 ns"});
  CHECK(slots.available() == 3);
}

TEST_CASE("Resource: cancelling gives back units, held, on their way or only asked for") {
  Simulation sim;
  Resource slots{sim, "slots", 1};
  Trace trace;
  const Process holder = sim.spawn("holder", hold(&sim, &slots, &trace, "holder", 1, kForever));
  const Process next = sim.spawn("next", hold(&sim, &slots, &trace, "next", 1, kForever));
  const Process asking = sim.spawn("asking", hold(&sim, &slots, &trace, "asking", 1, kForever));
  sim.spawn("last", hold(&sim, &slots, &trace, "last", 1, 1_ns));
  CHECK_THROWS_AS(sim.run(), Error);
  asking.cancel();
  holder.cancel();
  CHECK(slots.available() == 0);
  next.cancel();
  sim.run();
  CHECK(trace == Trace{"holder has 1@0 ns", "last has 1@0 ns"});
  CHECK(slots.available() == 1);
}

TEST_CASE("Resource: units move with their grant, and come back once") {
  Simulation sim;
  Resource slots{sim, "slots", 2};
  Trace trace;
  Resource::Grant kept{slots, 0};
  {
    Resource::Grant grant{slots, 1};
    kept = std::move(grant);
  }
  CHECK(kept.units() == 1);
  kept.release();
  kept.release();
  CHECK(kept.units() == 0);
}

TEST_CASE("Resource: more units than there are, or none, is a UsageError") {
  Simulation sim;
  Resource slots{sim, "slots", 2};
  sim.spawn("p", acquire_too_much(&slots));
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("resource slots has 2 units, 3 can't be acquired"),
                       Error);
  CHECK_THROWS_AS(static_cast<void>(slots.acquire(0)), UsageError);
}

TEST_CASE("Resource: may go away before those that hold its units") {
  Simulation sim;
  std::optional<Resource> slots{std::in_place, sim, "slots", 1};
  Trace trace;
  sim.spawn("holder", hold(&sim, &*slots, &trace, "holder", 1, 5_ns));
  sim.spawn("asking", hold(&sim, &*slots, &trace, "asking", 1, 5_ns));
  sim.spawn("stop", [](std::optional<Resource>* gone) -> Task<> {
    gone->reset();
    co_return;
  }(&slots));
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("asking waits for resource (destroyed meanwhile)"),
                       Error);
  CHECK(sim.now() == 5_ns);
}
