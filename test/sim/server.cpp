#include "kbsim/sim/server.hpp"

#include "kbsim/base/error.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

Task<> use(Simulation* sim, Server* server, Trace* trace, std::string name, Time start, Time service) {
  co_await sim->until(start);
  co_await server->use(service);
  note(trace, *sim, name);
}

}  // namespace

TEST_CASE("Server: uses follow one another in the order of their requests") {
  Simulation sim;
  Server server{sim, "s"};
  Trace trace;
  sim.spawn("a", use(&sim, &server, &trace, "a", 0_ns, 10_ns));
  sim.spawn("b", use(&sim, &server, &trace, "b", 4_ns, 5_ns));
  sim.spawn("c", use(&sim, &server, &trace, "c", 20_ns, 1_ns));
  sim.run();
  CHECK(trace == Trace{"a@10 ns", "b@15 ns", "c@21 ns"});
  CHECK(server.busy() == 16_ns);
  CHECK(server.free_at() == 21_ns);
}

TEST_CASE("Server: a use is one event, and none if it ends now") {
  Simulation sim;
  Server server{sim, "s"};
  Trace trace;
  sim.spawn("none", use(&sim, &server, &trace, "none", 0_ns, 0_ns));
  sim.run();
  CHECK(sim.events() == 1);
  sim.spawn("one", use(&sim, &server, &trace, "one", 0_ns, 1_ns));
  sim.run();
  CHECK(sim.events() == 1 + 2);
}

TEST_CASE("Server: a negative service is a UsageError") {
  Simulation sim;
  Server server{sim, "s"};
  CHECK_THROWS_AS(static_cast<void>(server.use(-1_ns)), UsageError);
}
