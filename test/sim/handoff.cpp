#include "kbsim/sim/handoff.hpp"

#include <memory>
#include <string>
#include <vector>

#include "kbsim/sim/deadlock.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::handoff_test {
namespace {

/// A unit that takes `each` for an item, and its box.
struct Unit {
  Unit(Simulation& simulation, Time time) : sim{simulation}, each{time}, box{simulation, name} {
    box.served_by({this, [](void* unit, PartId part) {
                     auto& self = *static_cast<Unit*>(unit);
                     self.sim.serve_now(self.name, self.run(), part);
                   }});
  }
  Task<> run() {
    ++starts;
    for (;;) {
      const std::unique_ptr<int> item = co_await box.receive();
      if (each > 0_ns) co_await sim.delay(each);
      taken.push_back(*item);
      at.push_back(sim.now());
    }
  }

  Simulation& sim;
  Time each;
  std::string name = "unit";
  Handoff<std::unique_ptr<int>> box;
  int starts = 0;
  std::vector<int> taken;
  std::vector<Time> at;
};

Task<> give(Simulation* sim, Unit* unit, std::vector<std::size_t>* taken) {
  for (int i = 0; i < 3; ++i) {
    co_await sim->delay(10_ns);
    unit->box.hand(std::make_unique<int>(2 * i));
    unit->box.hand(std::make_unique<int>(2 * i + 1));
    taken->push_back(unit->taken.size());
  }
}

}  // namespace

TEST_CASE("Handoff: each item is taken within the call that hands it over, without an event") {
  Simulation sim;
  Unit unit{sim, 0_ns};
  std::vector<std::size_t> taken;
  (void)sim.spawn("giver", give(&sim, &unit, &taken));
  sim.run();
  CHECK(taken == std::vector<std::size_t>{2, 4, 6});
  CHECK(unit.taken == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(unit.starts == 1);
  CHECK(sim.events() == 4);  // the giver's start and its three delays
}

TEST_CASE("Handoff: items that come while the process waits elsewhere are taken later, in their order") {
  Simulation sim;
  Unit unit{sim, 7_ns};
  std::vector<std::size_t> taken;
  (void)sim.spawn("giver", give(&sim, &unit, &taken));
  sim.run();
  CHECK(taken == std::vector<std::size_t>{0, 1, 2});
  CHECK(unit.taken == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(unit.at == std::vector<Time>{17_ns, 24_ns, 31_ns, 38_ns, 45_ns, 52_ns});
}

TEST_CASE("Handoff: an error of the process is its own; the caller goes on, as itself") {
  Simulation sim;
  const std::string name = "unit";
  Handoff<int> box{sim, name};
  struct Faulty {
    static Task<> run(Handoff<int>* box) {
      const int item = co_await box->receive();
      throw KernelFault{"can't take " + std::to_string(item)};
    }
    static Task<> give(Simulation* sim, Handoff<int>* box, std::string* after) {
      co_await sim->delay(1_ns);
      box->hand(3);
      *after = sim->running().name();
    }
  };
  std::string after;
  (void)sim.serve(name, Faulty::run(&box));
  (void)sim.spawn("giver", Faulty::give(&sim, &box, &after));
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("unit"), ProcessError);
  CHECK(after == "giver");
}

TEST_CASE("Handoff: it may go away before the process that waits for it, and with items that none took") {
  Simulation sim;
  {
    Unit unit{sim, 1_us};
    unit.box.hand(std::make_unique<int>(1));
    unit.box.hand(std::make_unique<int>(2));
    CHECK(unit.starts == 1);
    sim.clear();
  }
  const std::string name = "unit";
  auto box = std::make_unique<Handoff<int>>(sim, name);
  struct Waits {
    static Task<> run(Handoff<int>* box) { co_await box->receive(); }
  };
  (void)sim.serve(name, Waits::run(box.get()));
  sim.run();
  box.reset();
  CHECK_NOTHROW(sim.clear());
}

}  // namespace kbsim::test::handoff_test
