#include "kbsim/sim/detail/worth.hpp"

#include <doctest/doctest.h>

namespace kbsim::detail::test::worth_test {
namespace {

constexpr std::uint64_t kWindow = 20'000;  // ticks of a window that isn't shared
constexpr std::uint64_t kEvents = 100;
// Ticks until the first trial, and what three stretches take at most.
constexpr std::uint64_t kFirst = 16'000'000;
constexpr std::uint64_t kTrial = 3 * 8'000'000;

struct Shares {
  double shared = 0;  // of all windows
  bool at_last = false;
};

// Runs windows for `ticks` ticks; a shared window takes `share` of the time of another.
Shares run(Worth& worth, std::uint64_t ticks, double share) {
  std::uint64_t passed = 0;
  double windows = 0;
  Shares result;
  while (passed < ticks) {
    const bool shares = worth.shares();
    const auto cost = static_cast<std::uint64_t>(kWindow * (shares ? share : 1.0));
    result.shared += shares ? 1 : 0;
    ++windows;
    passed += cost;
    worth.took(cost, kEvents);
  }
  result.shared /= windows;
  result.at_last = worth.shares();
  return result;
}

}  // namespace

TEST_CASE("Worth: windows are shared until a trial says clearly otherwise, or two in a row") {
  Worth clearly;
  CHECK(run(clearly, kFirst, 1.5).shared == 1.0);
  CHECK(!run(clearly, kTrial, 1.5).at_last);
  Worth twice;
  CHECK(run(twice, kFirst + kTrial, 1.2).at_last);
  CHECK(!run(twice, kFirst / 2 + kTrial, 1.2).at_last);
}

TEST_CASE("Worth: parts of a program whose events differ by a quarter change nothing") {
  Worth worth;
  for (std::uint64_t passed = 0; passed < 1'000'000'000;) {
    const std::uint64_t part = passed / 9'000'000 % 2 == 0 ? 4 : 5;
    const std::uint64_t cost = kWindow * part / (worth.shares() ? 8 : 4);
    passed += cost;
    worth.took(cost, kEvents);
  }
  CHECK(worth.shares());
}

TEST_CASE("Worth: windows are shared where that takes less, and hardly where it takes more") {
  Worth pays;
  CHECK(run(pays, 2'000'000'000, 0.6).shared > 0.97);
  Worth costs;
  CHECK(run(costs, 2'000'000'000, 1.3).shared < 0.05);
}

TEST_CASE("Worth: trials that change nothing become rarer") {
  Worth worth;
  const auto alone = [&](std::uint64_t ticks) { return 1 - run(worth, ticks, 0.6).shared; };
  const double first = alone(200'000'000);
  CHECK(first > 0);
  (void)alone(1'000'000'000);
  CHECK(alone(2'000'000'000) < first / 2);
}

TEST_CASE("Worth: a gain within the noise changes nothing") {
  Worth worth;
  CHECK(run(worth, 1'000'000'000, 1.01).shared > 0.9);
}

TEST_CASE("Worth: what has changed is seen at the next trial, from either side") {
  Worth worth;
  (void)run(worth, kFirst + kTrial, 0.6);
  CHECK(worth.shares());
  CHECK(!run(worth, 3 * kFirst + 3 * kTrial, 1.3).at_last);
  CHECK(run(worth, 4 * kFirst + 2 * kTrial, 0.6).at_last);
}

// The first windows after a change take four times as long, as when data moves between cores.
TEST_CASE("Worth: what a change costs isn't in what is compared") {
  Worth worth;
  bool before = worth.shares();
  std::uint64_t since = 0;
  for (std::uint64_t passed = 0; passed < 400'000'000;) {
    const bool shares = worth.shares();
    since = shares == before ? since : 0;
    before = shares;
    const std::uint64_t usual = shares ? kWindow : kWindow * 6 / 10;
    const std::uint64_t cost = since < 2'000'000 ? 4 * usual : usual;
    since += cost;
    passed += cost;
    worth.took(cost, kEvents);
  }
  CHECK(!worth.shares());
}

TEST_CASE("Worth: a part of a stretch in which the host did something else doesn't decide") {
  Worth worth;
  bool disturbed = false;
  for (std::uint64_t passed = 0; passed < kFirst + kTrial;) {
    const bool shares = worth.shares();
    std::uint64_t cost = shares ? kWindow : kWindow * 6 / 10;
    const bool now = !shares && !disturbed && passed > kFirst + 8'000'000;
    if (now) disturbed = true, cost *= 200;
    passed += now ? 0 : cost;
    worth.took(cost, kEvents);
  }
  CHECK(disturbed);
  CHECK(!worth.shares());
}

TEST_CASE("Worth: forced, it tries nothing") {
  Worth worth;
  worth.force(false);
  CHECK(run(worth, 200'000'000, 0.1).shared == 0.0);
}

}  // namespace kbsim::detail::test::worth_test
