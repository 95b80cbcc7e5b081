// Slopes on both sides, ranges and slacks, computed from all causes of a run, against runs with other keys.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "random_setup.hpp"

namespace kbsim::test::causes::sides_test {

TEST_CASE("Graph: a picosecond of a latency gives what the graph says, where no order flips") {
  Checked all;
  for (std::uint64_t seed = 1; seed <= draws(6); ++seed) {
    Setup setup = random_setup(seed);
    setup.all_causes = 1 << 22;
    const Outcome outcome = run(setup);
    REQUIRE(!outcome.guesses.empty());
    CAPTURE(seed);
    const Checked checked = check_steps(setup, outcome);
    CHECK(checked.off == 0);
    all.exact += checked.exact;
    all.flipped += checked.flipped;
  }
  MESSAGE(all.exact, " exact, ", all.flipped, " flipped");
  CHECK(all.exact > 0);
}

// A key that isn't on the path has the range of its slack: within it nothing changes.
TEST_CASE("Graph: up to the end of a key's range nothing but its own terms changes, where no order flips") {
  int checked = 0;
  for (std::uint64_t seed = 21; seed < 21 + draws(10); ++seed) {
    Setup setup = random_setup(seed);
    setup.all_causes = 1 << 22;
    const Outcome outcome = run(setup);
    const Explanation& path = outcome.paths.front();
    for (const std::vector<Derivative>* keys : {&path.keys, &path.off_path}) {
      for (const Derivative& key : *keys) {
        REQUIRE(key.sides.has_value());
        if (key.unit != "ns" || !key.sides->to || outcome.edges.at(key.key).more.flips > 0) continue;
        CAPTURE(seed);
        CAPTURE(key.key);
        CAPTURE(*key.sides->to);
        CHECK(total_with(setup, key.key, *key.sides->to) == outcome.total + key.change(*key.sides->to));
        ++checked;
      }
    }
  }
  MESSAGE(checked, " ranges");
  CHECK(checked > 0);
}

TEST_CASE("Graph: slopes below and above differ no further than what a picosecond gives") {
  Setup setup = random_setup(3);
  setup.all_causes = 1 << 22;
  const Outcome outcome = run(setup);
  for (const Derivative& key : outcome.paths.front().keys) {
    if (key.unit != "ns") continue;
    const Outcome::Guess& guess = outcome.guesses.at(key.key);
    CAPTURE(key.key);
    CHECK(key.sides->less_ns <= key.slope_ns);
    CHECK(key.slope_ns <= key.sides->more_ns);
    CHECK(static_cast<double>((guess.more.length - outcome.total).count()) >= key.sides->more_ns);
    if (key.value > 0.0)
      CHECK(static_cast<double>((outcome.total - guess.less.length).count()) <= key.sides->less_ns);
  }
}

TEST_CASE("Graph: above the bound only last causes are kept, and the path stays") {
  Setup setup{.overrides = {"system.sips.count=2", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"}};
  const Outcome last = run(setup);
  setup.all_causes = 2000;
  const Outcome few = run(setup);
  CHECK(few.gave_up);
  CHECK(!few.paths.front().keys.front().sides.has_value());
  setup.all_causes = 1 << 22;
  const Outcome all = run(setup);
  CHECK(!all.gave_up);
  for (const Outcome* other : {&few, &all}) {
    CHECK(other->total == last.total);
    CHECK(other->digest.value() == last.digest.value());
    CHECK(sum(other->paths.front().reasons) == last.total);
    CHECK(other->paths.front().reasons.front().time == last.paths.front().reasons.front().time);
  }
}

}  // namespace kbsim::test::causes::sides_test
