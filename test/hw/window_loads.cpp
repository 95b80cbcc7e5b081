#include "kbsim/hw/window_loads.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace kbsim::hw::test::window_loads_test {
namespace {

// The index of that number of threads.
constexpr std::size_t kTwo = 1;
constexpr std::size_t kFour = 2;
constexpr std::size_t kMost = WindowLoads::kThreads.size() - 1;

}  // namespace

TEST_CASE("Window loads: two that never meet are twice as fast on two threads, and not more on any number") {
  WindowLoads loads{2, 10_ns};
  for (int t = 0; t < 1000; t += 10) {
    loads.add(Time{1000} * t, 0, 3);
    loads.add(Time{1000} * t, 1, 3);
  }
  loads.close();
  CHECK(loads.windows() == 100);
  CHECK(loads.total() == 600);
  for (std::size_t i = kTwo; i <= kMost; ++i) CHECK(loads.times_as_fast(i) == 2.0);
}

TEST_CASE("Window loads: a chain of processes, each after the other's window, is as slow as one") {
  WindowLoads loads{8, 9_ns};
  for (int i = 0; i < 80; ++i) loads.add(9_ns * i, static_cast<std::size_t>(i % 8), 5);
  loads.close();
  CHECK(loads.windows() == 80);
  for (std::size_t i = 0; i <= kMost; ++i) CHECK(loads.longest(i) == 400);
}

TEST_CASE(
    "Window loads: a window ends a lookahead after its first event, and the next begins with an event") {
  WindowLoads loads{1, 9_ns};
  for (const Time t : {5_ns, 5_ns, 13_ns + 999_ps, 14_ns, 100_ns, 108_ns, 109_ns}) loads.add(t, 0, 1);
  loads.close();
  CHECK(loads.windows() == 4);  // from 5, 14, 100 and 109
  CHECK(loads.total() == 7);
}

TEST_CASE("Window loads: the longest first, each to the least loaded") {
  WindowLoads loads{5, 1_ns};
  std::size_t process = 0;
  for (const std::uint64_t load : {2U, 3U, 2U, 3U, 2U}) loads.add(0_ns, process++, load);
  loads.close();
  CHECK(loads.longest(0) == 12);
  CHECK(loads.longest(kTwo) == 7);   // 3 + 2 + 2 and 3 + 2
  CHECK(loads.longest(kFour) == 4);  // 3, 3, 2 and 2 + 2
  CHECK(loads.longest(kMost) == 3);
}

TEST_CASE("Window loads: where nothing crosses the run is one window; nothing at all is as fast as itself") {
  WindowLoads apart{2, kForever};
  apart.add(1_ns, 0, 6);
  apart.add(1000_us, 1, 2);
  apart.close();
  CHECK(apart.windows() == 1);
  CHECK(apart.longest(kTwo) == 6);
  WindowLoads none{3, 1_ns};
  none.close();
  CHECK(none.windows() == 0);
  CHECK(none.times_as_fast(kTwo) == 1.0);
}

}  // namespace kbsim::hw::test::window_loads_test
