#include "kbsim/base/error.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::time_test {
namespace {

Task<> until(Simulation* sim, Trace* trace, Time t) {
  co_await sim->until(t);
  note(trace, *sim, "until");
}

Task<> sum_of_delays(Simulation* sim, std::vector<Time> delays, Time* end) {
  for (const Time d : delays) co_await sim->delay(d);
  *end = sim->now();
}

Task<> catch_negative(Simulation* sim, std::string* text) {
  try {
    co_await sim->delay(-1_ns);
  } catch (const UsageError& error) {
    *text = error.what();
  }
}

}  // namespace

TEST_CASE("Simulation: a delay ends exactly its length later") {
  Simulation sim;
  Time end{};
  const std::vector<Time> delays{1_ps, 255_ps, 256_ps, 257_ps, 65'535_ps, 65'536_ps, 1_us, 123'456_us};
  sim.spawn("p", sum_of_delays(&sim, delays, &end));
  sim.run();
  CHECK(end == 1_ps + 255_ps + 256_ps + 257_ps + 65'535_ps + 65'536_ps + 1_us + 123'456_us);
  CHECK(sim.events() == 1 + delays.size());
}

TEST_CASE("Simulation: a delay of 0 lets the events go first that are queued for this time") {
  Simulation sim;
  Trace trace;
  sim.spawn("a", note_after(&sim, &trace, "a", Time::zero()));
  sim.spawn("b", until(&sim, &trace, Time::zero()));
  sim.run();
  CHECK(trace == Trace{"until@0 ns", "a@0 ns"});
}

TEST_CASE(
    "Simulation: a delay that is awaited when its end is past lets the others go first, and time go on") {
  for (const bool causes : {false, true}) {
    Simulation sim{{.causes = causes}};
    Trace trace;
    sim.spawn("late", [](Simulation* s, Trace* to) -> Task<> {
      auto pause = s->delay(1_ns);
      co_await s->delay(300_ns);
      co_await pause;
      note(to, *s, "past");
      co_await pause;
      note(to, *s, "again");
    }(&sim, &trace));
    sim.spawn("other", note_after(&sim, &trace, "other", 300_ns));
    sim.run();
    CHECK(trace == Trace{"other@300 ns", "past@300 ns", "again@300 ns"});
  }
}

TEST_CASE("Simulation: until a time that has come doesn't wait") {
  Simulation sim;
  Trace trace;
  sim.spawn("p", until(&sim, &trace, Time::zero()));
  sim.run();
  CHECK(trace == Trace{"until@0 ns"});
  CHECK(sim.events() == 1);
  sim.spawn("q", until(&sim, &trace, 7_ns));
  sim.run();
  CHECK(trace.back() == "until@7 ns");
}

TEST_CASE("Simulation: a negative delay is a UsageError with its place, thrown at the await") {
  Simulation sim;
  std::string text;
  sim.spawn("p", catch_negative(&sim, &text));
  sim.run();
  CHECK(text.find("time.cpp:") != std::string::npos);
  CHECK(text.find("a delay can't be negative, got -1 ns") != std::string::npos);
}

TEST_CASE("Simulation: the last time that there is can be reached, the one after never comes") {
  Simulation sim;
  Time end{};
  const Time last = kForever - 1_ps;
  sim.spawn("p", sum_of_delays(&sim, {1_ps, last - 1_ps}, &end));
  const Process beyond = sim.serve("q", sum_of_delays(&sim, {2_ps, last}, &end));
  sim.run();
  CHECK(end == last);
  CHECK(!beyond.done());
}

TEST_CASE("Simulation: run() goes on where it ended") {
  Simulation sim;
  Trace trace;
  sim.spawn("a", note_after(&sim, &trace, "a", 3_ns));
  sim.run();
  sim.spawn("b", note_after(&sim, &trace, "b", 3_ns));
  sim.run();
  CHECK(trace == Trace{"a@3 ns", "b@6 ns"});
}

TEST_CASE("Simulation: run() within run() is refused") {
  Simulation sim;
  sim.spawn("p", [](Simulation* s) -> Task<> {
    CHECK_THROWS_AS(s->run(), InternalError);
    co_return;
  }(&sim));
  sim.run();
}

}  // namespace kbsim::test::time_test
