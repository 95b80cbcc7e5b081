// The parts of a profiled simulation's work.
#include "kbsim/base/self_profile.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "kbsim/sim/simulation.hpp"

#include "doctest/doctest.h"

namespace kbsim::test::self_profile_test {
namespace {

void work_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

Task<> child(Simulation* sim) {
  co_await sim->delay(1_ns);
  work_for(std::chrono::milliseconds{20});
}

Task<> parent(Simulation* sim) {
  co_await sim->delay(1_ns);
  sim->spawn("child", child(sim));
  co_await sim->delay(1_ns);
  work_for(std::chrono::milliseconds{20});
}

double share_of(const std::string& work) {
  const self_profile::Shares shares = self_profile::shares();
  const auto row = std::ranges::find(shares.rows, work, &self_profile::Row::work);
  return row == shares.rows.end() ? 0.0 : row->share;
}

}  // namespace

TEST_CASE("Self profile: a process does the work of the scope, or of the process, that starts it") {
  for (const bool shuffled : {false, true}) {
    self_profile::start();
    const std::string name = shuffled ? "shuffled mill" : "mill";
    Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{3} : std::nullopt}};
    {
      const WorkScope scope{WorkKind{name}};
      sim.spawn("parent", parent(&sim));
    }
    sim.run();
    CHECK(sim.now() == 2_ns);
    CHECK(sim.events() == 5);
    CHECK(self_profile::scope == 0);
    const double mine = share_of(name);
    CHECK(mine > 0.0);
    CHECK(mine > share_of("queue of events"));
  }
}

}  // namespace kbsim::test::self_profile_test
