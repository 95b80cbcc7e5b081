#include "kbsim/sweep/enough.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

namespace kbsim::sweep::test::enough_test {
namespace {

using End = EnoughTrial::End;

// Stuck below `fewest`, faster up to `enough`, no room above `room`.
struct Machine {
  std::int64_t fewest;
  std::int64_t enough;
  std::int64_t room;

  [[nodiscard]] EnoughTrial operator()(std::int64_t n) const {
    if (n > room) return {.end = End::refused};
    if (n < fewest) return {.end = End::stuck};
    return {.number = 1000.0 - static_cast<double>(std::min(n, enough))};
  }
};

}  // namespace

TEST_CASE("Enough: the fewest that aren't stuck, and from which on more is no better") {
  std::mt19937 random{7};
  for (int i = 0; i < 300; ++i) {
    Machine machine{};
    machine.room = 1 + random() % 5000;
    std::int64_t largest = 1;
    while (2 * largest <= std::min<std::int64_t>(machine.room, 4096)) largest *= 2;
    machine.fewest = 1 + random() % largest;
    machine.enough = machine.fewest + random() % (largest - machine.fewest + 1);
    CAPTURE(machine.fewest);
    CAPTURE(machine.enough);
    CAPTURE(machine.room);
    int runs = 0;
    const Enough found = find_enough(4096, [&](std::int64_t n) {
      ++runs;
      return std::optional{machine(n)};
    });
    CHECK(found.largest == largest);
    CHECK(found.fewest == machine.fewest);
    CHECK(found.enough == machine.enough);
    CHECK(runs == static_cast<int>(found.tried.size()));
    CHECK(runs < 40);
    CHECK(!found.contradicts());
  }
}

TEST_CASE("Enough: none if all are stuck, and nothing after a signal") {
  const Enough stuck =
      find_enough(64, [](std::int64_t) { return std::optional{EnoughTrial{.end = End::stuck}}; });
  CHECK(!stuck.fewest);
  CHECK(!stuck.enough);
  CHECK(stuck.tried.size() == 7);
  CHECK(!stuck.fewest_so_far());
  const Machine machine{.fewest = 3, .enough = 100, .room = 1000};
  const Enough cut =
      find_enough(4096, [&](std::int64_t n) { return n < 16 ? std::optional{machine(n)} : std::nullopt; });
  CHECK(!cut.fewest);
  CHECK(cut.fewest_so_far() == 4);
  const Enough stopped = find_enough(
      64, [](std::int64_t n) { return n > 2 ? std::nullopt : std::optional{EnoughTrial{.number = 1.0}}; });
  CHECK(!stopped.enough);
  CHECK(stopped.tried.size() == 2);
}

// A number found while halving the step is better than all powers of two.
TEST_CASE("Enough: what turns up better while it halves counts") {
  const Enough found = find_enough(16, [](std::int64_t n) {
    return std::optional{EnoughTrial{.number = n < 4 ? 10.0 : n == 6 ? 4.0 : 5.0}};
  });
  REQUIRE(found.enough);
  CHECK(found.contradicts() == (found.tried.count(6) > 0));
  CHECK(found.tried.at(*found.enough).number <= 5.0);
}

}  // namespace kbsim::sweep::test::enough_test
