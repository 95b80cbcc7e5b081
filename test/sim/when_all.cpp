#include "kbsim/sim/when_all.hpp"

#include <stdexcept>

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::when_all_test {
namespace {

Task<int> later(Simulation* sim, Time d, int value) {
  co_await sim->delay(d);
  co_return value;
}
Task<> fail(Simulation* sim, Time d) {
  co_await sim->delay(d);
  throw std::runtime_error{"broken"};
}
Task<> hold(Simulation* sim, Counted, Time d) { co_await sim->delay(d); }

Task<> all_values(Simulation* sim, std::vector<int>* got) {
  std::vector<Task<int>> tasks;
  tasks.push_back(later(sim, 5_ns, 1));
  tasks.push_back(later(sim, 3_ns, 2));
  *got = co_await when_all(std::move(tasks));
}
Task<> all_notes(Simulation* sim, Trace* trace) {
  co_await when_all(note_after(sim, trace, "a", 2_ns), note_after(sim, trace, "b", 2_ns),
                    note_after(sim, trace, "c", 1_ns));
  note(trace, *sim, "all");
}
Task<> none(Simulation* sim, Trace* trace) {
  std::vector<Task<>> tasks;
  co_await when_all(std::move(tasks));
  note(trace, *sim, "none");
}
Task<> one_fails(Simulation* sim, Trace* trace, int* alive) {
  try {
    co_await when_all(hold(sim, Counted{alive}, kForever), fail(sim, 3_ns), hold(sim, Counted{alive}, 1_ns));
  } catch (const std::runtime_error& error) {
    note(trace, *sim, error.what());
  }
  CHECK(*alive == 0);
}
Task<> race(Simulation* sim, Trace* trace, int* alive) {
  const std::size_t index = co_await when_any(
      hold(sim, Counted{alive}, 5_ns), hold(sim, Counted{alive}, 3_ns), hold(sim, Counted{alive}, 3_ns));
  CHECK(*alive == 0);
  note(trace, *sim, std::to_string(index));
}
Task<> failing_race(Simulation* sim) {
  [[maybe_unused]] const auto got = co_await when_any(sleep(sim, 5_ns), fail(sim, 3_ns));
}
Task<> empty_race() {
  std::vector<Task<>> tasks;
  [[maybe_unused]] const auto got = co_await when_any(std::move(tasks));
}
Task<> note_now(Simulation* sim, Trace* trace, const char* what) {
  note(trace, *sim, what);
  co_return;
}
Task<> all_at_once(Simulation* sim, Trace* trace) {
  co_await when_all(note_now(sim, trace, "1"), note_now(sim, trace, "2"), note_now(sim, trace, "3"),
                    note_now(sim, trace, "4"));
  note(trace, *sim, "all");
}
Task<> break_now() {
  throw std::runtime_error{"broken"};
  co_return;
}
Task<> fails_at_once(Simulation* sim, Trace* trace) {
  co_await when_all(note_now(sim, trace, "1"), break_now(), note_now(sim, trace, "3"));
}
Task<> race_of_groups(Simulation* sim, Trace* trace) {
  [[maybe_unused]] const auto got = co_await when_any(all_notes(sim, trace), sleep(sim, 1_ns));
  note(trace, *sim, "any");
}

}  // namespace

TEST_CASE("when_all: ends with the last task and gives the values in their order") {
  Simulation sim;
  std::vector<int> got;
  sim.spawn("all", all_values(&sim, &got));
  sim.run();
  CHECK(got == std::vector{1, 2});
  CHECK(sim.now() == 5_ns);
}

TEST_CASE("when_all: tasks run side by side, in their order at one time") {
  Simulation sim;
  Trace trace;
  sim.spawn("all", all_notes(&sim, &trace));
  sim.run();
  CHECK(trace == Trace{"c@1 ns", "a@2 ns", "b@2 ns", "all@2 ns"});
}

TEST_CASE("when_all: tasks start in their order, also if events of one time are shuffled") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulation sim{{.shuffle_ties = seed}};
    Trace trace;
    sim.spawn("all", all_at_once(&sim, &trace));
    sim.run();
    CHECK(trace == Trace{"1@0 ns", "2@0 ns", "3@0 ns", "4@0 ns", "all@0 ns"});
  }
}

TEST_CASE("when_all: a failure at the start keeps those after it from starting") {
  Simulation sim;
  Trace trace;
  sim.spawn("all", fails_at_once(&sim, &trace));
  CHECK_THROWS_WITH(sim.run(), "process all at 0 ns: broken");
  CHECK(trace == Trace{"1@0 ns"});
}

TEST_CASE("when_all: of no tasks doesn't wait") {
  Simulation sim;
  Trace trace;
  sim.spawn("none", none(&sim, &trace));
  sim.run();
  CHECK(trace == Trace{"none@0 ns"});
  CHECK(sim.events() == 1);
}

TEST_CASE("when_all: the first failure cancels the others and is rethrown") {
  Simulation sim;
  Trace trace;
  int alive = 0;
  sim.spawn("p", one_fails(&sim, &trace, &alive));
  sim.run();
  CHECK(trace == Trace{"broken@3 ns"});
}

TEST_CASE("when_any: ends with the first task, gives its index and cancels the others") {
  Simulation sim;
  Trace trace;
  int alive = 0;
  sim.spawn("race", race(&sim, &trace, &alive));
  sim.run();
  CHECK(trace == Trace{"1@3 ns"});
  CHECK(sim.now() == 3_ns);
}

TEST_CASE("when_any: rethrows what the first to end threw, and wants at least one task") {
  Simulation sim;
  sim.spawn("race", failing_race(&sim));
  CHECK_THROWS_WITH(sim.run(), "process race at 3 ns: broken");
  sim.spawn("empty", empty_race());
  CHECK_THROWS_WITH(sim.run(), doctest::Contains("when_any has at least one task"));
}

TEST_CASE("when_any: a cancelled task takes its own tasks with it") {
  Simulation sim;
  Trace trace;
  sim.spawn("groups", race_of_groups(&sim, &trace));
  sim.run();
  CHECK(trace == Trace{"any@1 ns"});
  CHECK(sim.now() == 1_ns);
}

TEST_CASE("when_all: a process cancelled while its tasks run destroys them") {
  Simulation sim;
  Trace trace;
  int alive = 0;
  const Process process = sim.spawn("p", one_fails(&sim, &trace, &alive));
  sim.spawn("canceller", [](Simulation* s, Process victim) -> Task<> {
    co_await s->delay(2_ns);
    victim.cancel();
  }(&sim, process));
  sim.run();
  CHECK(alive == 0);
  CHECK(trace.empty());
}

}  // namespace kbsim::test::when_all_test
