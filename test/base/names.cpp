#include "kbsim/base/names.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/shape.hpp"

using namespace kbsim;

TEST_CASE("nearest_name: finds typos, swaps and nothing too far") {
  const std::vector<std::string> known{"overhead_ns", "length_mm", "bw_gbs"};
  CHECK(nearest_name("overhed_ns", known) == "overhead_ns");
  CHECK(nearest_name("bw_gsb", known) == "bw_gbs");
  CHECK(nearest_name("colour", known).empty());
}

TEST_CASE("nearest_name: a name that begins so, and one with the same words, are nearer than fewer edits") {
  const std::vector<std::string> cases{"pe-tcm", "pe-local-hbm", "pe-same-cube-hbm", "pe-cube-sram",
                                       "h2d-write"};
  CHECK(nearest_name("pe-hbm", cases) == "pe-local-hbm");  // pe-tcm is two letters away
  CHECK(nearest_name("pe_same_hbm", cases) == "pe-same-cube-hbm");
  CHECK(nearest_name("cube-sram", cases) == "pe-cube-sram");
  CHECK(nearest_name("sram", cases) == "pe-cube-sram");
  CHECK(nearest_name("pe-locel-hbm", cases) == "pe-local-hbm");
  CHECK(nearest_name("pe-tcn", cases) == "pe-tcm");
  const std::vector<std::string> algorithms{"ring_reduce", "ring_allreduce_hbm", "tree_allreduce",
                                            "ring_all_gather"};
  CHECK(nearest_name("ring_allreduce", algorithms) == "ring_allreduce_hbm");
  CHECK(nearest_name("allreduce", algorithms) == "tree_allreduce");
  CHECK(nearest_name("tree_reduce", algorithms) == "tree_allreduce");  // not ring_reduce
  CHECK(nearest_name("Ring-Reduce", algorithms) == "ring_reduce");
  CHECK(nearest_name("bw", {"link_bw_gbs"}).empty());  // a short word is in too many names
}

TEST_CASE("name_hint: names with all words are listed") {
  const std::vector<std::string> known{"pe-tcm", "pe-local-hbm", "pe-far-cube-hbm", "pe-cube-sram"};
  CHECK(name_hint("pe-hbm", known) == ", did you mean 'pe-local-hbm' or 'pe-far-cube-hbm'?");
  CHECK(name_hint("hbm_x", known) == " (known: pe-tcm, pe-local-hbm, pe-far-cube-hbm, pe-cube-sram)");
  CHECK(name_hint("cubes", {"a-cubes", "b-cubes", "c-cubes", "d-cubes", "e-cubes"}) ==
        ", did you mean 'a-cubes' or 'b-cubes' or 'c-cubes' or 'd-cubes' or another of the 5 that have these "
        "words?");
}

TEST_CASE("near_hint: the nearest name, or nothing") {
  CHECK(near_hint("eror", {"error", "warn", "off"}) == "; did you mean 'error'?");
  CHECK(near_hint("maybe", {"error", "warn", "off"}).empty());
  CHECK(near_hint("", {"error", "warn", "off"}).empty());
  CHECK(near_hint("warn", {"error", "warn", "off"}).empty());  // the word is right; another one is wrong
}

TEST_CASE("name_hint: a name that others begin with is hinted at as those") {
  const std::vector<std::string> known{"ring_allreduce_hbm", "ring_allreduce_tcm", "ring_reduce"};
  CHECK(name_hint("ring_allreduce", known) == ", did you mean 'ring_allreduce_hbm' or 'ring_allreduce_tcm'?");
  CHECK(name_hint("ring_reduc", known) == ", did you mean 'ring_reduce'?");
  CHECK(name_hint("ring", {"ring_a", "ring_b", "ring_c", "ring_d", "ringo", "rung"}) ==
        ", did you mean 'ring_a' or 'ring_b' or 'ring_c' or 'ring_d' or another of the 5 that begin so?");
  CHECK(name_hint("ri", known) == " (known: ring_allreduce_hbm, ring_allreduce_tcm, ring_reduce)");
}

TEST_CASE("Registry: knows names in order and hints at the nearest") {
  Registry<int> registry{"bench"};
  registry.add("ring", 1);
  registry.add("mesh", 2);
  CHECK(registry.at("ring") == 1);
  CHECK(registry.names() == std::vector<std::string>{"mesh", "ring"});
  CHECK_THROWS_WITH_AS((void)registry.at("rnig"), "unknown bench 'rnig', did you mean 'ring'?", UsageError);
  CHECK_THROWS_AS(registry.add("ring", 3), InternalError);
}

TEST_CASE("Registry: a name that is offered twice is noted once and keeps its first entry") {
  Registry<int> registry{"bench"};
  CHECK(registry.offer("ring", 1));
  CHECK(!registry.offer("ring", 2));
  CHECK_THROWS_WITH_AS((void)registry.at("ring"), doctest::Contains("'ring' is registered twice"),
                       UsageError);
  CHECK(registry.take_conflicts() == std::vector<std::string>{"ring"});
  CHECK(registry.at("ring") == 1);
  CHECK(registry.take_conflicts().empty());
}

TEST_CASE("Registry: an entry without its function is noted, and reported when it is asked for") {
  struct Entry {
    void (*run)() = nullptr;
    [[nodiscard]] bool has_function() const { return run != nullptr; }
  };
  Registry<Entry> registry{"bench"};
  CHECK(!registry.offer("ring", {}));
  CHECK(registry.offer("mesh", {.run = [] {}}));
  registry.add("torus", {});
  CHECK(registry.without_function() == std::vector<std::string>{"ring", "torus"});
  CHECK(registry.names() == std::vector<std::string>{"mesh"});
  CHECK_THROWS_WITH_AS((void)registry.at("ring"), "bench 'ring' was registered without a function",
                       UsageError);
}

TEST_CASE("Shape: extents, elements and bytes") {
  const Shape shape{16, 8};
  CHECK(shape.rank() == 2);
  CHECK(shape.elements() == 128);
  CHECK(shape.bytes(f16) == 256_B);
  CHECK(to_string(shape) == "[16, 8]");
  CHECK(shape != Shape{16});
  CHECK(Shape{}.elements() == 1);
}
