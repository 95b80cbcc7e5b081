#include "kbsim/sim/when_all.hpp"

#include <doctest/doctest.h>

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/resource.hpp"

using namespace kbsim;

namespace {

Task<int> after(Simulation* sim, Time d, int value) {
  co_await sim->delay(d);
  co_return value;
}

Task<> wait(Simulation* sim, Time d) { co_await sim->delay(d); }

Task<> all(Simulation* sim, std::vector<int>* got) {
  std::vector<Task<int>> tasks;
  tasks.push_back(after(sim, 5_ns, 1));
  tasks.push_back(after(sim, 3_ns, 2));
  *got = co_await when_all(std::move(tasks));
}

Task<> first(Simulation* sim, std::size_t* index) {
  *index = co_await when_any(wait(sim, 5_ns), wait(sim, 3_ns));
}

}  // namespace

TEST_CASE("when_all: ends with the last, values in the order of the tasks") {
  Simulation sim;
  std::vector<int> got;
  sim.spawn("all", all(&sim, &got));
  sim.run();
  CHECK(sim.now() == 5_ns);
  CHECK(got == std::vector{1, 2});
}

TEST_CASE("when_any: ends with the first and cancels the others") {
  Simulation sim;
  std::size_t index = 9;
  sim.spawn("any", first(&sim, &index));
  sim.run();
  CHECK(sim.now() == 3_ns);
  CHECK(index == 1);
}
