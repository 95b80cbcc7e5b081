#include <algorithm>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "kbsim/sim/simulation.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

// More processes than the queue keeps in lists (detail::EventQueue).

namespace kbsim::test::many_test {
namespace {

constexpr int kProcesses = 20'000;

struct Wake {
  Time at;
  int process;
  friend bool operator==(const Wake&, const Wake&) = default;
};

Task<> wait_twice(Simulation* sim, int process, Time first, Time second, std::vector<Wake>* wakes) {
  co_await sim->delay(first);
  wakes->push_back({sim->now(), process});
  co_await sim->delay(second);
  wakes->push_back({sim->now(), process});
}

/// Each waits twice; every third is cancelled at 500 ns, where it waits.
std::vector<Wake> run(std::optional<std::uint64_t> shuffle) {
  Simulation sim{{.shuffle_ties = shuffle}};
  std::mt19937_64 random{7};
  std::vector<Wake> wakes;
  std::vector<Process> processes;
  const auto draw = [&random] { return Time{static_cast<std::int64_t>(1 + random() % 1000) * 1000}; };
  for (int i = 0; i < kProcesses; ++i) {
    const Time first = draw();
    processes.push_back(sim.spawn("", wait_twice(&sim, i, first, draw(), &wakes)));
  }
  sim.spawn("cancels", [](Simulation* s, std::vector<Process>* all) -> Task<> {
    co_await s->delay(500_ns + 500_ps);
    for (std::size_t i = 0; i < all->size(); i += 3) (*all)[i].cancel();
  }(&sim, &processes));
  sim.run();
  return wakes;
}

/// The same from a sorted list. A first wait is queued when its process starts, a second when the first ends.
/// So at one time the longest waits come first, and waits of one start in the order of the starts.
std::vector<Wake> expected() {
  std::mt19937_64 random{7};
  struct Waits {
    Time from;
    int order;  // among those from that time
    Wake wake;
    Time next;
  };
  const auto key = [](const Waits& one) { return std::tuple{one.wake.at, one.from, one.order}; };
  const auto draw = [&random] { return Time{static_cast<std::int64_t>(1 + random() % 1000) * 1000}; };
  std::vector<Waits> all;
  for (int i = 0; i < kProcesses; ++i) {
    const Time first = draw();
    all.push_back({Time::zero(), i, {first, i}, draw()});
  }
  std::ranges::sort(all, {}, key);
  for (int i = 0; i < kProcesses; ++i) {
    const Waits first = all[static_cast<std::size_t>(i)];
    all.push_back({first.wake.at, i, {first.wake.at + first.next, first.wake.process}, Time::zero()});
  }
  std::erase_if(all, [](const Waits& one) { return one.wake.process % 3 == 0 && one.wake.at > 500_ns; });
  std::ranges::sort(all, {}, key);
  std::vector<Wake> wakes;
  for (const Waits& one : all) wakes.push_back(one.wake);
  return wakes;
}

}  // namespace

TEST_CASE("Simulation: many processes wake in the order of a sorted list, but for the cancelled") {
  CHECK(run({}) == expected());
}

TEST_CASE("Simulation: shuffled ties of many processes are the same wakes at the same times") {
  std::vector<Wake> in_order = expected();
  std::vector<Wake> shuffled = run(1);
  CHECK(shuffled != in_order);
  const auto sort = [](std::vector<Wake>& wakes) {
    std::ranges::sort(wakes, {}, [](const Wake& wake) { return std::tuple{wake.at, wake.process}; });
  };
  const bool at_their_times = std::ranges::is_sorted(shuffled, {}, &Wake::at);
  CHECK(at_their_times);
  sort(in_order);
  sort(shuffled);
  CHECK(shuffled == in_order);
}

TEST_CASE("Simulation: one that goes away with many waiting destroys them all") {
  int alive = 0;
  {
    Simulation sim{{.stop_at = 10_ns}};
    const auto wait = [](Simulation* s, Counted, Time d) -> Task<> { co_await s->delay(d); };
    for (int i = 0; i < kProcesses; ++i) sim.serve("", wait(&sim, Counted{&alive}, Time{1000 + i * 100}));
    CHECK_THROWS_AS(sim.run(), Error);
    CHECK(alive > kProcesses - 200);
  }
  CHECK(alive == 0);
}

}  // namespace kbsim::test::many_test
