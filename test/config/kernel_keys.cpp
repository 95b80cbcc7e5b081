// Keys of an algorithm that its kernel defines.
#include "kbsim/base/kernel_keys.hpp"

#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/config/load.hpp"

#include "support.hpp"

namespace kbsim::config::test::kernel_keys_test {
namespace {

struct StencilSpec {
  int kernel_radius = 2;
  bool wraps = true;
  int centre = -1;

  static void describe(auto& f) {
    f.add("kernel_radius", &StencilSpec::kernel_radius, between(1, 9), "neighbours on each side");
    f.add("wraps", &StencilSpec::wraps, "whether the last is next to the first");
    f.add("centre", &StencilSpec::centre, at_least(-1), "cube in the middle; -1: the last");
  }
};
KBSIM_KERNEL_KEYS(stencil, StencilSpec, "ring_1d", "all_pes", "centre");

CclSpec parsed(const std::string& entry, const Overrides& overrides = {}) {
  return parse_ccl("defaults: {algorithm: mine}\nalgorithms:\n  mine: " + entry + "\n", "c.yaml", overrides);
}

StencilSpec values(const CclSpec& spec) {
  return kernel_keys().at("stencil").values(spec.resolve("mine").own).as<StencilSpec>();
}

std::string error_of(const std::string& entry, const Overrides& overrides = {}) {
  try {
    (void)parsed(entry, overrides);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("checklist 13: an algorithm has its kernel's keys; those it leaves out keep their defaults") {
  const CclSpec given = parsed("{kernel: stencil, kernel_radius: 3}");
  CHECK(values(given).kernel_radius == 3);
  CHECK(values(given).wraps);
  CHECK(values(parsed("{kernel: stencil}")).kernel_radius == 2);
  const CclSpec overridden = parsed("{kernel: stencil, kernel_radius: 3}",
                                    {"algorithms.mine.kernel_radius=5", "algorithms.mine.wraps=false"});
  CHECK(values(overridden).kernel_radius == 5);
  CHECK(!values(overridden).wraps);
}

TEST_CASE("checklist 13: they are checked as any key, with their place; other kernels don't have them") {
  CHECK(error_of("{kernel: stencil, kernel_radius: 10}") ==
        "c.yaml:3:42: algorithms.mine.kernel_radius: found '10', expected an integer from 1 to 9");
  CHECK(error_of("{kernel: stencil, kernel_radios: 3}") ==
        "c.yaml:3:27: algorithms.mine.kernel_radios: unknown key, did you mean 'kernel_radius'?");
  const std::string all = error_of("{kernel: stencil, colour: 3}");
  CHECK_MESSAGE(all.find(", world_size, kernel_radius, wraps") != std::string::npos, all);
  CHECK(error_of("{kernel: ring_allreduce, kernel_radius: 3}") ==
        "c.yaml:3:34: algorithms.mine.kernel_radius: unknown key of this kernel; kernels that have it: "
        "stencil");
  CHECK(error_of("{kernel: stencil}", {"algorithms.mine.kernel_radius=0"}).find("--set") !=
        std::string::npos);
}

TEST_CASE("Kernel keys: one that numbers a cube is held against the machine, with its place") {
  const auto errors = [](const std::string& cube, const Overrides& overrides = {}) {
    return machine_errors(
        "sip: {cube_mesh: {w: 2, h: 2}}\n"
        "ccl: {defaults: {algorithm: a}, algorithms: {a: {kernel: stencil, centre: " +
            cube + "}}}",
        overrides);
  };
  for (const char* cube : {"-1", "0", "3"}) CHECK(errors(cube).empty());
  CHECK(errors("4") ==
        "t.yaml:2:75: ccl.algorithms.a.centre: found '4', expected an integer from -1 to 3: a package has 4 "
        "cubes (sip.cube_mesh)");
  CHECK(errors("4", {"sip.cube_mesh.w=3"}).empty());
  CHECK(errors("-2").find("found '-2', expected an integer from -1 to 2147483647") != std::string::npos);
}

TEST_CASE("checklist 13: reduce_op and chunk_size are any algorithm's") {
  const CclSpec spec = parsed("{kernel: stencil, reduce_op: max, chunk_size: 64}");
  CHECK(spec.resolve("mine").reduce_op == ReduceOp::max);
  CHECK(spec.resolve("mine").chunk_size == 64);
  CHECK(error_of("{kernel: stencil, reduce_op: mean}").find("expected one of sum, max, min, prod, avg") !=
        std::string::npos);
}

TEST_CASE("checklist 13: the resolved copy has a kernel's keys, and reads back; the reference page, too") {
  const CclSpec given = parsed("{kernel: stencil, kernel_radius: 3}");
  const std::string copy = resolved_yaml(given);
  CHECK(copy.find("kernel_radius: 3") != std::string::npos);
  CHECK(copy.find("wraps: true") != std::string::npos);
  CHECK(values(parse_ccl(copy, "copy.yaml")).kernel_radius == 3);
  CHECK(resolved_yaml(parse_ccl(copy, "copy.yaml")) == copy);
  CHECK(reference_markdown(kModels).find("| `kernel_radius` | an integer from 1 to 9 | `2` |") !=
        std::string::npos);
}

TEST_CASE("checklist 14: topology none is the kernel's own wiring, where it needs a certain one") {
  const AlgorithmSpec own = parsed("{kernel: stencil, topology: none}").resolve("mine");
  CHECK(own.topology == "ring_1d");
  CHECK(own.mapper == "all_pes");
  const AlgorithmSpec named = parsed("{kernel: stencil, topology: tree_binary}").resolve("mine");
  CHECK(named.topology == "tree_binary");
  CHECK(named.mapper == "leader_only");
}

}  // namespace kbsim::config::test::kernel_keys_test
