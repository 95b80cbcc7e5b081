#include "kbsim/evaluate/parallel.hpp"

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/stop.hpp"
#include "kbsim/sim/simulation.hpp"

#include "send_signal.hpp"

namespace kbsim::evaluate::test::parallel_test {
namespace {

constexpr Parallel kQuiet{.threads = 3, .progress = false};
constexpr Parallel kOneThread{.threads = 1, .progress = false};

}  // namespace

TEST_CASE("in_parallel: runs every job once, and says that all have ended") {
  std::vector<std::atomic<int>> runs(50);
  const std::vector<bool> ended = in_parallel(runs.size(), "jobs", kQuiet, [&](std::size_t i) { ++runs[i]; });
  CHECK(ended == std::vector<bool>(50, true));
  for (const std::atomic<int>& each : runs) CHECK(each == 1);
  CHECK(in_parallel(0, "jobs", kQuiet, [](std::size_t) {}).empty());
}

TEST_CASE("in_parallel: of several errors the first job's is thrown, when all others have ended") {
  std::atomic<int> others = 0;
  const auto job = [&](std::size_t i) {
    if (i == 4 || i == 7) throw std::runtime_error{"job " + std::to_string(i)};
    ++others;
  };
  CHECK_THROWS_WITH_AS((void)in_parallel(10, "jobs", kQuiet, job), "job 4", std::runtime_error);
  CHECK(others == 8);
}

TEST_CASE("in_parallel: after Ctrl-C nothing more is begun, and what runs may come to its end") {
  const std::vector<bool> ended = in_parallel(5, "jobs", kOneThread, [](std::size_t i) {
    if (i == 2) kbsim::test::send_stop(SIGINT);
  });
  CHECK(ended == std::vector<bool>{true, true, true, false, false});
  CHECK(in_parallel(2, "jobs", kOneThread, [](std::size_t) {}) == std::vector<bool>{true, true});
}

TEST_CASE("in_parallel: after SIGTERM a simulation that runs is given up, and its job hasn't ended") {
  const auto ticks = [](Simulation& sim) -> Task<> {
    for (;;) co_await sim.delay(1_ns);
  };
  const std::vector<bool> ended = in_parallel(3, "jobs", kOneThread, [&](std::size_t i) {
    if (i == 0) return;
    Simulation sim;
    (void)sim.spawn("ticks", ticks(sim));
    kbsim::test::send_stop(SIGTERM);
    sim.run();
  });
  CHECK(ended == std::vector<bool>{true, false, false});
  CHECK(stop_signal() == 0);
  CHECK(last_stop_signal() == SIGTERM);
}

}  // namespace kbsim::evaluate::test::parallel_test
