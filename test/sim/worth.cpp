#include "kbsim/sim/detail/worth.hpp"

#include <doctest/doctest.h>

namespace kbsim::detail::test::worth_test {
namespace {

constexpr std::uint64_t kEvents = 100;

// How many of so many windows were shared, where those cost so much, and others so much.
int shared_of(Worth& worth, int windows, std::uint64_t shared_cost, std::uint64_t alone_cost) {
  int shared = 0;
  for (int i = 0; i < windows; ++i) {
    const bool shares = worth.shares();
    shared += shares ? 1 : 0;
    worth.took(shares ? shared_cost : alone_cost, kEvents);
  }
  return shared;
}

}  // namespace

TEST_CASE("Worth: windows are shared where that took less, and hardly where it took more") {
  Worth pays;
  CHECK(shared_of(pays, 20'000, 600, 1000) > 19'000);
  Worth costs;
  CHECK(shared_of(costs, 20'000, 1300, 1000) < 1'000);
}

TEST_CASE("Worth: a gain within the noise changes nothing") {
  Worth worth;
  CHECK(shared_of(worth, 20'000, 990, 1000) < 1'000);
}

TEST_CASE("Worth: what has changed is seen at the next trial") {
  Worth worth;
  (void)shared_of(worth, 4'000, 600, 1000);
  CHECK(worth.shares());
  (void)shared_of(worth, 20'000, 1300, 1000);
  CHECK(shared_of(worth, 2'000, 1300, 1000) < 200);
}

TEST_CASE("Worth: a block in which the host did something else doesn't decide") {
  Worth worth;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t cost = worth.shares() ? 600 : 1000;
    worth.took(i == 20 ? 1000 * cost : cost, kEvents);
  }
  CHECK(worth.shares());
}

TEST_CASE("Worth: forced, it tries nothing") {
  Worth worth;
  worth.force(false);
  CHECK(shared_of(worth, 1'000, 1, 1000) == 0);
}

}  // namespace kbsim::detail::test::worth_test
