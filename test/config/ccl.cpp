#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"

#include "support.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

const std::string kText =
    "algorithms:\n"  // before the defaults, which hold all the same
    "  ring: {kernel: ring_allreduce, topology: ring_1d, mapper: all_pes, n_slots: 2}\n"
    "  tree: {kernel: tree_allreduce, slot_size: 8KiB, world_size: 7}\n"
    "defaults: {algorithm: tree, n_slots: 6, n_elem: 100, poll_ns: 2.5}\n";

}  // namespace

TEST_CASE("CclSpec: an algorithm's own keys win over the defaults") {
  const CclSpec ccl = parse_ccl(kText, "c.yaml");
  const AlgorithmSpec& ring = ccl.resolve("ring");
  CHECK(ring.name == "ring");
  CHECK(ring.kernel == "ring_allreduce");
  CHECK(ring.topology == "ring_1d");
  CHECK(ring.mapper == "all_pes");
  CHECK(ring.validator == "single_shard_per_rank");
  CHECK(ring.n_slots == 2);
  CHECK(ring.n_elem == 100);
  CHECK(ring.poll == 2500_ps);
  CHECK(ring.slot_size == 4_KiB);
  CHECK(ccl.resolve("tree").n_slots == 6);
  CHECK(ccl.resolve("tree").slot_size == 8_KiB);
  CHECK(ccl.resolve("tree").world_size == 7);
}

TEST_CASE("CclSpec: no name stands for the default, an unknown one gets a hint") {
  const CclSpec ccl = parse_ccl(kText, "c.yaml");
  CHECK(&ccl.resolve("") == &ccl.resolve("tree"));
  CHECK_THROWS_WITH_AS((void)ccl.resolve("rng"), "unknown algorithm 'rng', did you mean 'ring'?", UsageError);
  CHECK_THROWS_WITH_AS((void)ccl.resolve("broadcast"), "unknown algorithm 'broadcast' (known: ring, tree)",
                       UsageError);
}

TEST_CASE("CclSpec: a single algorithm is the default one, of several one is to be named") {
  const std::string one = "algorithms: {mine: {kernel: a}}\n";
  CHECK(parse_ccl(one, "c.yaml").resolve("").name == "mine");
  CHECK(ccl_errors("defaults: {algorithm: min}\n" + one) ==
        "c.yaml:1:23: defaults.algorithm: unknown algorithm 'min', did you mean 'mine'?");
  CHECK(ccl_errors("algorithms: {mine: {kernel: a}, yours: {kernel: a}}\n") ==
        "c.yaml:1:1: defaults.algorithm: found nothing, expected the algorithm of a run that names none, as "
        "algorithm: mine under defaults: ('intercube_allreduce' isn't in the file)");
}

TEST_CASE("CclSpec: overrides reach defaults and algorithms") {
  const CclSpec ccl = parse_ccl(kText, "c.yaml", {"defaults.n_elem=9", "algorithms.tree.n_elem=10"});
  CHECK(ccl.resolve("ring").n_elem == 9);
  CHECK(ccl.resolve("tree").n_elem == 10);
}

TEST_CASE("CclSpec: a resolved copy reads back to the same") {
  const std::string text = resolved_yaml(parse_ccl(kText, "c.yaml"));
  CHECK(resolved_yaml(parse_ccl(text, "again")) == text);
}

TEST_CASE("CclSpec: a setting of a misspelt algorithm names the nearest") {
  CHECK_THROWS_WITH_AS((void)parse_ccl(kText, "c.yaml", {"algorithms.rng.n_elem=9"}),
                       doctest::Contains("'rng' is an algorithm without one; did you mean 'ring'?"),
                       ConfigError);
}

TEST_CASE("CclSpec: mistakes are reported with place and remedy") {
  CHECK(ccl_errors("defaults: {algorithm: rin}\nalgorithms:\n  ring: {kernl: a, n_slots: 0}\n  tree:\n") ==
        "c.yaml:1:23: defaults.algorithm: unknown algorithm 'rin', did you mean 'ring'?\n"
        "c.yaml:3:9: algorithms.ring.kernel: found nothing, expected the name of a kernel: 'ring' is an "
        "algorithm without one\n"
        "c.yaml:3:10: algorithms.ring.kernl: unknown key, did you mean 'kernel'?\n"
        "c.yaml:3:29: algorithms.ring.n_slots: found '0', expected an integer from 1 to 65536\n"
        "c.yaml:4:3: algorithms.tree.kernel: found nothing, expected the name of a kernel: 'tree' is an "
        "algorithm without one");
  CHECK(ccl_errors("algorithms: [ring]\n") ==
        "c.yaml:1:13: algorithms: found a list, expected a map of names to sections");
  CHECK(ccl_errors("defaults: {algorithm: ring}\nalgorithms: {ring: {kernel: [a]}}\n") ==
        "c.yaml:2:29: algorithms.ring.kernel: found a list, expected a text");
}

TEST_CASE("CclSpec: limits have a size, ranks and links, and are refused with their places") {
  const auto of = [](const std::string& limits) {
    return "algorithms: {mine: {kernel: a, picked: by_limit, chosen: [" + limits + "]}}\n";
  };
  const CclSpec ccl = parse_ccl(of("{up_to: 64KiB, ranks: 2-8, links: line}, {up_to: 1KiB}"), "c.yaml",
                                {"algorithms.mine.chosen.1.ranks=5"});
  const AlgorithmSpec& mine = ccl.resolve("mine");
  CHECK(mine.picked == Picked::by_limit);
  REQUIRE(mine.chosen.size() == 2);
  CHECK(mine.chosen[0].up_to == 64_KiB);
  CHECK(mine.chosen[0].links == "line");
  CHECK(rank_range(mine.chosen[0].ranks)->contains(8));
  CHECK(!rank_range(mine.chosen[0].ranks)->contains(9));
  CHECK(mine.chosen[1].ranks == "5");
  CHECK(
      ccl_errors(of("{up_to: 1KiB, ranks: 8-2}")) ==
      "c.yaml:1:80: algorithms.mine.chosen.0.ranks: found '8-2', expected a number of ranks or a range, as 8 "
      "or 2-8");
  CHECK(ccl_errors(of("{up_to: 1KiB, links: tree_binry}")) ==
        "c.yaml:1:80: algorithms.mine.chosen.0.links: no packages are joined as 'tree_binry', did you mean "
        "'tree_binary'?");
  CHECK(ccl_errors(of("{ranks: 4}")) ==
        "c.yaml:1:59: algorithms.mine.chosen.0.up_to: found no size, expected that of the largest call, as "
        "up_to: "
        "64KiB");
}

TEST_CASE("rank_range: a number, a range of two, or nothing for any; other texts are none") {
  CHECK(rank_range("")->contains(1));
  CHECK(rank_range("")->contains(256));
  CHECK(rank_range("8")->contains(8));
  CHECK(!rank_range("8")->contains(7));
  for (const char* text : {"0", "-8", "8-", "2-0", "8-2", "2-8-9", "two", " 8", "8 ", "99999999999", "1e3"}) {
    CAPTURE(text);
    CHECK(!rank_range(text));
  }
}

TEST_CASE("CclSpec: KernBench's module of a kernel is its name") {
  const std::string ring = "defaults: {algorithm: ring}\nalgorithms: {ring: {";
  const std::string module = "module: kernbench.ccl.algorithms.ring_allreduce";
  CHECK(parse_ccl(ring + module + ", n_slots: 2}}\n", "c.yaml").resolve("ring").kernel == "ring_allreduce");
  CHECK(ccl_errors(ring + module + ", kernel: tree}}\n") ==
        "c.yaml:2:21: algorithms.ring.module: unknown key; `kernel` beside it says the same, leave one out");
  CHECK(ccl_errors(ring + "module: mine.ring, kernel: a}}\n") ==
        "c.yaml:2:21: algorithms.ring.module: unknown key; write `kernel: NAME` in its place (kbsim list has "
        "kernels)");
}

TEST_CASE("CclSpec: carries_over is refused where it does nothing") {
  const std::string ring = "defaults: {algorithm: ring}\nalgorithms: {ring: {kernel: a, carries_over: true";
  CHECK(ccl_errors(ring + ", topology: ring_1d}}\n").empty());
  CHECK(ccl_errors(ring + "}}\n") ==
        "c.yaml:2:46: algorithms.ring.carries_over: found true, expected false: with topology none there are "
        "no "
        "queues");
}

TEST_CASE("configs/ccl.yaml: the default algorithm is the all-reduce between cubes") {
  const CclSpec ccl = load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml");
  const AlgorithmSpec& algorithm = ccl.resolve("");
  CHECK(algorithm.name == "intercube_allreduce");
  CHECK(algorithm.kernel == "intercube_allreduce");
  CHECK(algorithm.mapper == "cube_leaders");
  CHECK(algorithm.validator == "single_shard_per_rank");
  CHECK(algorithm.n_elem == 8);
}

TEST_CASE("configs/ccl.yaml: spells out the documented defaults") {
  CclSpec expected;
  expected.algorithms = load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml").algorithms;
  CHECK(resolved_yaml(load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml")) == resolved_yaml(expected));
}
