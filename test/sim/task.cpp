#include "kbsim/sim/task.hpp"

#include <memory>
#include <stdexcept>

#include "kbsim/base/error.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::task_test {
namespace {

Task<int> value(int n) { co_return n; }

Task<> mark(bool* ran) {
  *ran = true;
  co_return;
}

Task<std::unique_ptr<int>> boxed(Simulation* sim, int n) {
  co_await sim->delay(1_ns);
  co_return std::make_unique<int>(n);
}

Task<> sum(Simulation* sim, int* total) {
  const int one = co_await value(1);
  const auto two = co_await boxed(sim, 2);
  *total = one + *two;
}

Task<> call_many(int n, std::int64_t* total) {
  for (int i = 0; i < n; ++i) {
    const int one = co_await value(1);
    *total += one;
  }
}

Task<> fail_after(Simulation* sim, Time d) {
  co_await sim->delay(d);
  throw std::out_of_range{"too far"};
}
Task<> middle(Simulation* sim) { co_await fail_after(sim, 2_ns); }
Task<> outer(Simulation* sim, std::string* caught) {
  try {
    co_await middle(sim);
  } catch (const std::out_of_range& error) {
    *caught = error.what();
  }
  co_await sim->delay(1_ns);
}

Task<> hold(Simulation* sim, Counted counted) {
  const Counted local = counted;
  co_await sim->delay(1_ns);
}
Task<> call_hold(Simulation* sim, int* alive) {
  co_await hold(sim, Counted{alive});
  CHECK(*alive == 0);
  co_await sim->delay(1_ns);
}

Task<> await_empty() {
  Task<> empty;
  co_await std::move(empty);
}

}  // namespace

static_assert(!std::is_copy_constructible_v<Task<>>);
static_assert(std::is_nothrow_move_constructible_v<Task<int>>);

TEST_CASE("Task: one that isn't awaited never runs") {
  bool ran = false;
  { const Task<> task = mark(&ran); }
  CHECK(!ran);
}

TEST_CASE("Task: gives its value, also one that can only be moved") {
  Simulation sim;
  int total = 0;
  sim.spawn("sum", sum(&sim, &total));
  sim.run();
  CHECK(total == 3);
  CHECK(sim.now() == 1_ns);
}

TEST_CASE("Task: a call costs no event") {
  Simulation sim;
  std::int64_t total = 0;
  sim.spawn("calls", call_many(10, &total));
  sim.run();
  CHECK(total == 10);
  CHECK(sim.events() == 1);
}

TEST_CASE("Task: a million calls in a row don't deepen the stack") {
  Simulation sim;
  std::int64_t total = 0;
  sim.spawn("calls", call_many(1'000'000, &total));
  sim.run();
  CHECK(total == 1'000'000);
}

TEST_CASE("Task: an exception goes through its callers to the one that catches it") {
  Simulation sim;
  std::string caught;
  sim.spawn("outer", outer(&sim, &caught));
  sim.run();
  CHECK(caught == "too far");
  CHECK(sim.now() == 2_ns + 1_ns);
}

TEST_CASE("Task: parameters and locals are destroyed when the await ends") {
  Simulation sim;
  int alive = 0;
  sim.spawn("p", call_hold(&sim, &alive));
  sim.run();
  CHECK(alive == 0);
}

TEST_CASE("Task: parameters are destroyed with a task that never ran") {
  Simulation sim;
  int alive = 0;
  { const Task<> task = hold(&sim, Counted{&alive}); }
  CHECK(alive == 0);
}

TEST_CASE("Task: an empty one can't be spawned or serve; the line is reported") {
  Simulation sim;
  const auto check_refused = [](const auto& start) {
    try {
      start();
      FAIL("an empty task was started");
    } catch (const UsageError& error) {
      const std::string text = error.what();
      CHECK_MESSAGE(text.starts_with("task.cpp:"), text);
      CHECK_MESSAGE(text.ends_with(": process p has an empty task: it was awaited or moved before, or its "
                                   "function returned none"),
                    text);
    }
  };
  check_refused([&] { sim.spawn("p", Task<>{}); });
  check_refused([&] { sim.serve("p", Task<>{}); });
  sim.run();
}

TEST_CASE("Task: an empty one can't be awaited") {
  Simulation sim;
  const Process process = sim.spawn("p", await_empty());
  try {
    sim.run();
    FAIL("an empty task was awaited");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::usage);
    CHECK(std::string{error.what()}.find("a task is awaited once, and this one is empty") !=
          std::string::npos);
  }
}

}  // namespace kbsim::test::task_test
