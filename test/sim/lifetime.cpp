#include <optional>

#include "kbsim/sim/simulation.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::lifetime_test {
namespace {

class Farewell {
 public:
  Farewell(Trace* trace, std::string name) : trace_{trace}, name_{std::move(name)} {}
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
  ~Farewell() { trace_->push_back(name_); }

 private:
  Trace* trace_;
  std::string name_;
};

Task<> inner(Simulation* sim, Trace* trace, std::string name) {
  const Farewell farewell{trace, name + " inner"};
  co_await sim->delay(5_ns);
}
Task<> outer(Simulation* sim, Trace* trace, std::string name) {
  const Farewell farewell{trace, name + " outer"};
  co_await inner(sim, trace, name);
}
Task<> hold_late(Simulation* sim, Counted) {
  co_await sim->delay(1_ns);
  co_await sim->late();
  co_await sim->delay(kForever);
}

}  // namespace

TEST_CASE("Simulation: frames are destroyed newest first, innermost first") {
  Trace trace;
  {
    Simulation sim{{.stop_at = 1_ns}};
    sim.spawn("a", outer(&sim, &trace, "a"));
    sim.serve("b", outer(&sim, &trace, "b"));
    CHECK_THROWS_AS(sim.run(), Error);
    CHECK(trace.empty());
  }
  CHECK(trace == Trace{"b inner", "b outer", "a inner", "a outer"});
}

TEST_CASE("Simulation: clear destroys all processes and none is resumed") {
  Simulation sim;
  Trace trace;
  const Process a = sim.spawn("a", outer(&sim, &trace, "a"));
  sim.clear();
  CHECK(a.done());
  CHECK_NOTHROW(sim.run());
  CHECK(sim.events() == 0);
}

TEST_CASE("Simulation: a process that has ended leaves nothing") {
  Simulation sim;
  int alive = 0;
  for (int i = 0; i < 100; ++i) sim.spawn("p", [](Counted) -> Task<> { co_return; }(Counted{&alive}));
  CHECK(alive == 100);
  sim.run();
  CHECK(alive == 0);
}

TEST_CASE(
    "Simulation: cancelling works at a timer, in the late phase and before the start, shuffled or not") {
  for (std::uint64_t events = 0; events < 5; ++events) {
    for (const bool shuffle : {false, true}) {
      int alive = 0;
      Simulation sim{{.shuffle_ties = shuffle ? std::optional<std::uint64_t>{events} : std::nullopt,
                      .max_events = events}};
      const Process p = sim.spawn("p", hold_late(&sim, Counted{&alive}));
      const Process q = sim.spawn("q", hold_late(&sim, Counted{&alive}));
      CHECK_THROWS_AS(sim.run(), Error);
      p.cancel();
      CHECK(alive == 1);
      q.cancel();
      CHECK(alive == 0);
    }
  }
}

}  // namespace kbsim::test::lifetime_test
