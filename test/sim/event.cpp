#include "kbsim/sim/event.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::event_test {
namespace {

Task<> wait(Simulation* sim, Event* event, Trace* trace, std::string name) {
  co_await event->wait();
  note(trace, *sim, name);
}

Task<> set_after(Simulation* sim, Event* event, Time d) {
  co_await sim->delay(d);
  event->set();
}

}  // namespace

TEST_CASE("Event: set lets all waiters go in the order of their waits") {
  Simulation sim;
  Event event{sim, "e"};
  Trace trace;
  for (const char* name : {"a", "b", "c"}) sim.spawn(name, wait(&sim, &event, &trace, name));
  sim.spawn("setter", set_after(&sim, &event, 4_ns));
  sim.run();
  CHECK(trace == Trace{"a@4 ns", "b@4 ns", "c@4 ns"});
}

TEST_CASE("Event: while it is set none waits, until reset") {
  Simulation sim;
  Event event{sim};
  Trace trace;
  event.set();
  sim.spawn("a", wait(&sim, &event, &trace, "a"));
  sim.run();
  CHECK(sim.events() == 1);
  event.reset();
  CHECK(!event.is_set());
  sim.spawn("b", wait(&sim, &event, &trace, "b"));
  sim.spawn("setter", set_after(&sim, &event, 2_ns));
  sim.run();
  CHECK(trace == Trace{"a@0 ns", "b@2 ns"});
}

TEST_CASE("Event: a waiter that is let go goes even if the event is reset at once") {
  Simulation sim;
  Event event{sim};
  Trace trace;
  sim.spawn("a", wait(&sim, &event, &trace, "a"));
  CHECK_THROWS_AS(sim.run(), Error);
  event.set();
  event.reset();
  sim.run();
  CHECK(trace == Trace{"a@0 ns"});
}

TEST_CASE("Event: has the name that it was made with, whatever becomes of where that stood") {
  Simulation sim;
  char buffer[] = "buffer 1";
  std::string text = "a text that isn't short 1";
  const Event of_buffer{sim, buffer};
  const Event of_text{sim, text};
  const Event of_literal{sim, "literal"};
  const Event of_none{sim};
  buffer[7] = '2', text.back() = '2';
  CHECK(of_buffer.name() == "buffer 1");
  CHECK(of_text.name() == "a text that isn't short 1");
  CHECK(of_literal.name() == "literal");
  CHECK(of_none.name() == "(unnamed)");
}

TEST_CASE("Event: a cancelled waiter is forgotten, before and after set") {
  Simulation sim;
  Event event{sim};
  Trace trace;
  const Process a = sim.spawn("a", wait(&sim, &event, &trace, "a"));
  const Process b = sim.spawn("b", wait(&sim, &event, &trace, "b"));
  sim.spawn("c", wait(&sim, &event, &trace, "c"));
  CHECK_THROWS_AS(sim.run(), Error);
  a.cancel();
  event.set();
  b.cancel();
  sim.run();
  CHECK(trace == Trace{"c@0 ns"});
}

}  // namespace kbsim::test::event_test
