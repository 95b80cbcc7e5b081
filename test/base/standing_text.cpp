// The progress of a simulation, as text.
#include "kbsim/base/standing_text.hpp"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

namespace kbsim::standing_text_test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWide = 200;

Standing simulated(Time time, std::uint64_t events) { return {.simulated = time, .events = events}; }

Standing computed(std::uint64_t done) {
  return {
      .simulated = 5_us, .events = 7, .doing = "computing", .what = "operations", .done = done, .all = 400};
}

}  // namespace

TEST_CASE("StandingText: simulated time, events, those a second since the last text, wall time") {
  StandingText text;
  CHECK(text(simulated(81'420_ns, 3'000'000), 2s, kWide) ==
        "simulating: 81.42 us, 3.00 M events, 1.50 M events/s, 2 s wall");
  CHECK(text(simulated(2'000'000_ns, 3'001'000), 2500ms, kWide) ==
        "simulating: 2.00 ms, 3.00 M events, 2.00 k events/s, 2 s wall");
  CHECK(text(simulated(2'000'000_ns, 3'001'000), 4s, kWide) ==
        "simulating: 2.00 ms, 3.00 M events, 0 events/s, 4 s wall");
}

TEST_CASE("StandingText: the events of another simulation begin anew") {
  StandingText text;
  (void)text(simulated(1_us, 5000), 2s, kWide);
  CHECK(text(simulated(12_ns, 800), 4s, kWide) == "simulating: 12 ns, 800 events, 400 events/s, 4 s wall");
}

TEST_CASE("StandingText: of work that knows its end, how much is done; never all of it before that") {
  StandingText text;
  CHECK(text(computed(12), 7s, kWide) == "computing: 12 of 400 operations, 3 %, 7 s wall");
  CHECK(text(computed(399), 8s, kWide) == "computing: 399 of 400 operations, 99 %, 8 s wall");
}

TEST_CASE("StandingText: of work that doesn't know its end, what it is") {
  CHECK(StandingText{}({.doing = "explaining the run"}, 9s, kWide) == "explaining the run, 9 s wall");
}

TEST_CASE("HostWork: standing() reports the first, while it lives") {
  CHECK(standing().doing.empty());
  {
    HostWork work{"making numbers", "elements", 7};
    HostWork inner{"computing", "operations", 2};
    inner.ended();
    work.ended(3);
    const Standing now = standing();
    CHECK(now.doing == "making numbers");
    CHECK(now.what == "elements");
    CHECK(now.done == 3);
    CHECK(now.all == 7);
  }
  CHECK(standing().doing.empty());
}

TEST_CASE("StandingText: counts the items that it is given") {
  StandingText text{"accesses"};
  CHECK(text(simulated(3_us, 40), 2s, kWide) == "simulating: 3.00 us, 40 accesses, 20 accesses/s, 2 s wall");
}

TEST_CASE("StandingText: of few columns one stays free, and what has no room is left out") {
  const Standing now = simulated(81'420_ns, 3'000'000);
  for (std::size_t columns = 1; columns < 90; ++columns) {
    StandingText text;
    CHECK(text(now, 2s, columns).size() < columns);
  }
  CHECK(StandingText{}(now, 2s, 50) == "simulating: 81.42 us, 3.00 M events, 2 s wall");
  CHECK(StandingText{}(now, 2s, 40) == "simulating: 81.42 us, 2 s wall");
  CHECK(StandingText{}(now, 2s, 25) == "simulating: 81.42 us");
  CHECK(StandingText{}(now, 2s, 11) == "simulating");
}

}  // namespace kbsim::standing_text_test
