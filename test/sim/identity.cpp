#include "kbsim/sim/identity.hpp"

#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/event.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::identity_test {
namespace {

struct Door {
  int number = 0;
  [[nodiscard]] std::string text() const { return "door " + std::to_string(number); }
  friend auto operator<=>(const Door&, const Door&) = default;
};
struct Gate {
  int number = 0;
  [[nodiscard]] std::string text() const { return "gate " + std::to_string(number); }
  friend auto operator<=>(const Gate&, const Gate&) = default;
};

Task<> wait(Event* event) { co_await event->wait(); }
Task<> join(Process other) { co_await other.join(); }

std::vector<Waiting> deadlock(Simulation& sim) {
  try {
    sim.run();
  } catch (const DeadlockError& error) {
    return error.waiting();
  }
  FAIL("run() must throw");
  return {};
}

}  // namespace

TEST_CASE("Identity: is compared by type and value, and read by its type alone") {
  const Identity none{};
  const Identity one = Door{1};
  CHECK(!none);
  CHECK(none.text().empty());
  CHECK(none == Identity{});
  CHECK(none < one);
  CHECK(one == Door{1});
  CHECK(one != Door{2});
  CHECK(one < Identity{Door{2}});
  CHECK(one != Gate{1});
  CHECK((one < Identity{Gate{1}}) != (Identity{Gate{1}} < one));
  REQUIRE(one.as<Door>() != nullptr);
  CHECK(one.as<Door>()->number == 1);
  CHECK(one.as<Gate>() == nullptr);
  CHECK(none.as<Door>() == nullptr);
  CHECK(one.text() == "door 1");
}

TEST_CASE("DeadlockError: has the identities of waiting processes and awaited objects, beside the texts") {
  Simulation sim;
  Event open{sim, Door{3}};
  Event named{sim, "e"};
  const Process first = sim.spawn("first", wait(&open), Gate{1});
  sim.spawn("second", wait(&named));
  sim.spawn("third", join(first));
  const std::vector<Waiting> waiting = deadlock(sim);
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[0].who == Gate{1});
  CHECK(waiting[0].awaits == Door{3});
  CHECK(waiting[0].process == "first");
  CHECK(waiting[0].what == "event door 3");
  CHECK(!waiting[1].who);
  CHECK(!waiting[1].awaits);
  CHECK(waiting[1].what == "event e");
  CHECK(waiting[2].awaits == Gate{1});
}

}  // namespace kbsim::test::identity_test
