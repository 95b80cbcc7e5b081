#include "kbsim/sim/process.hpp"

#include <exception>
#include <optional>
#include <stdexcept>

#include "kbsim/sim/deadlock.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::process_test {
namespace {

Task<> fail(Simulation* sim, Time d) {
  co_await sim->delay(d);
  throw Unsupported{"five wheels"};
}
Task<> fail_oddly() {
  throw 5;
  co_return;
}
Task<> fail_plainly() {
  throw std::runtime_error{"plain"};
  co_return;
}

Task<> join(Simulation* sim, Trace* trace, Process joined, std::string name) {
  try {
    co_await joined.join();
    note(trace, *sim, name);
  } catch (const Unsupported& error) {
    note(trace, *sim, name + " caught " + error.what());
  }
}

Task<> cancel_after(Simulation* sim, Time d, Process victim) {
  co_await sim->delay(d);
  victim.cancel();
}

Task<> cancel_me(Process* me) {
  me->cancel();
  co_return;
}

}  // namespace

TEST_CASE("Process: join waits until it is done, and not at all afterwards") {
  Simulation sim;
  Trace trace;
  const Process sleeper = sim.spawn("sleeper", sleep(&sim, 3_ns));
  sim.spawn("early", join(&sim, &trace, sleeper, "early"));
  sim.spawn("second", join(&sim, &trace, sleeper, "second"));
  CHECK(!sleeper.done());
  sim.run();
  CHECK(sleeper.done());
  CHECK(sleeper.name() == "sleeper");
  const std::uint64_t events = sim.events();
  sim.spawn("too late", join(&sim, &trace, sleeper, "too late"));
  sim.run();
  CHECK(trace == Trace{"early@3 ns", "second@3 ns", "too late@3 ns"});
  CHECK(sim.events() == events + 1);
}

TEST_CASE("Process: what it throws is thrown at every join") {
  Simulation sim;
  Trace trace;
  const Process failing = sim.spawn("failing", fail(&sim, 2_ns));
  sim.spawn("a", join(&sim, &trace, failing, "a"));
  sim.spawn("b", join(&sim, &trace, failing, "b"));
  sim.run();
  CHECK(trace == Trace{"a caught five wheels@2 ns", "b caught five wheels@2 ns"});
}

TEST_CASE(
    "Process: run() rethrows the error of an unjoined process, with name, time and exit code, nesting the "
    "original") {
  Simulation sim;
  Trace trace;
  sim.spawn("failing", fail(&sim, 2_ns));
  sim.spawn("other", note_after(&sim, &trace, "other", 2_ns));
  try {
    sim.run();
    FAIL("run() must throw");
  } catch (const ProcessError& error) {
    CHECK(std::string{error.what()} == "process failing at 2 ns: five wheels");
    CHECK(error.exit_code() == ExitCode::unsupported);
    CHECK_THROWS_AS(std::rethrow_if_nested(error), Unsupported);
  }
  CHECK(trace.empty());
  sim.run();
  CHECK(trace == Trace{"other@2 ns"});
}

TEST_CASE("Process: components fail like any other, and so do exceptions that aren't ours") {
  Simulation sim;
  sim.serve("component", fail_plainly());
  CHECK_THROWS_WITH_AS(sim.run(), "process component at 0 ns: plain", ProcessError);
  sim.spawn("odd", fail_oddly());
  CHECK_THROWS_WITH_AS(sim.run(), "process odd at 0 ns: unknown exception", ProcessError);
}

TEST_CASE("Process: cancel wakes those that join it") {
  Simulation sim;
  Trace trace;
  const Process sleeper = sim.spawn("sleeper", sleep(&sim, 9_ns));
  sim.spawn("joiner", join(&sim, &trace, sleeper, "joined"));
  sim.spawn("canceller", cancel_after(&sim, 4_ns, sleeper));
  sim.run();
  CHECK(trace == Trace{"joined@4 ns"});
  CHECK(sleeper.done());
  CHECK(sim.now() == 4_ns);
}

TEST_CASE("Process: cancelling itself is a UsageError") {
  Simulation sim;
  Process me;
  me = sim.spawn("me", cancel_me(&me));
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("process me can't cancel itself"), ProcessError);
}

TEST_CASE("Process: one can be cancelled before its start, from outside, and twice") {
  Simulation sim;
  int alive = 0;
  const Process early = sim.spawn("early", [](Counted) -> Task<> { co_return; }(Counted{&alive}));
  CHECK(alive == 1);
  early.cancel();
  CHECK(alive == 0);
  early.cancel();
  sim.run();
  CHECK(sim.events() == 0);
}

TEST_CASE("Process: a handle outlives the simulation") {
  std::optional<Simulation> sim{std::in_place};
  const Process process = sim->spawn("p", sleep(&*sim, 1_ns));
  sim.reset();
  CHECK(process.done());
  CHECK(process.name() == "p");
}

}  // namespace kbsim::test::process_test
