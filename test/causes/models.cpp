// Machines whose memories have banks, whose routers have queues and whose PEs poll: paths sum, and slopes
// agree with runs with other keys.
#include <cstdint>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "random_setup.hpp"
#include "sanitized.hpp"

namespace kbsim::test::causes::models_test {
namespace {

void check_all_paths(Model model) {
  for (std::uint64_t seed = 1; seed <= draws(6); ++seed) {
    CAPTURE(seed);
    check_paths(random_setup(seed, model));
  }
}

Checked slopes(Model model, std::uint64_t seeds) {
  Checked all;
  for (std::uint64_t seed = 1; seed <= draws(seeds); ++seed) {
    CAPTURE(seed);
    Setup setup = random_setup(seed, model);
    setup.all_causes = 1 << 22;
    const Outcome outcome = run(setup);
    for (const Explanation& one : outcome.paths) check_whole(one);
    const Checked checked = check_steps(setup, outcome);
    all.exact += checked.exact;
    all.flipped += checked.flipped;
    all.off += checked.off;
  }
  MESSAGE(all.exact, " exact, ", all.flipped, " flipped, ", all.off, " off");
  return all;
}

void check_slopes(Model model) {
  const Checked all = slopes(model, 3);
  CHECK(all.off == 0);
  CHECK(all.exact > 0);
}

}  // namespace

TEST_CASE("Path with pseudo-channels: it sums, and changes nothing") {
  check_all_paths(Model::pseudo_channels);
}
TEST_CASE("Path with banks: it sums, and changes nothing") { check_all_paths(Model::banks); }
TEST_CASE("Path with ordered commands: it sums, and changes nothing") { check_all_paths(Model::fr_fcfs); }
TEST_CASE("Path with queues in routers: it sums, and changes nothing") { check_all_paths(Model::router_vc); }
TEST_CASE("Path with worms in routers: it sums, and changes nothing") { check_all_paths(Model::router_iq); }
TEST_CASE("Path with queues that are polled: it sums, and changes nothing") {
  check_all_paths(Model::polling);
}

TEST_CASE("Slopes with pseudo-channels: a picosecond gives what is said") {
  check_slopes(Model::pseudo_channels);
}
TEST_CASE("Slopes with banks: a picosecond gives what is said") { check_slopes(Model::banks); }
// A controller chooses among many commands; not everything that would change its choice is recorded.
TEST_CASE("Slopes with ordered commands: a picosecond gives what is said, but for one in fifty" *
          doctest::skip(kSanitized)) {
  const Checked all = slopes(Model::fr_fcfs, 6);
  CHECK(all.exact > 0);
  CHECK(50 * all.off <= all.exact);
}
TEST_CASE("Slopes with queues in routers: a picosecond gives what is said") {
  check_slopes(Model::router_vc);
}
TEST_CASE("Slopes with worms in routers: a picosecond gives what is said") { check_slopes(Model::router_iq); }
TEST_CASE("Slopes with queues that are polled: a picosecond gives what is said") {
  check_slopes(Model::polling);
}

}  // namespace kbsim::test::causes::models_test
