// A topology file with a section of algorithms, and attributes of a model that an override replaces.
#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"

#include "support.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

const std::string kAlgorithms = "ccl: {defaults: {algorithm: a, n_slots: 3}, algorithms: {a: {kernel: k}}}\n";

std::string notes_of(const std::string& text, const Overrides& overrides) {
  std::vector<std::string> notes;
  (void)parse_machine(text, "t.yaml", overrides, kModels, &notes);
  std::string all;
  for (const std::string& note : notes) all += note + "\n";
  return all;
}

}  // namespace

TEST_CASE("Section ccl: is checked where it stands, and is no key of the machine") {
  CHECK(machine_errors("system: {sips: {count: 3}}\n" + kAlgorithms).empty());
  CHECK(machine_errors("ccl: {defaults: {algorithm: a, n_slots: 0}, algorithms: {a: {kernel: k}}}") ==
        "t.yaml:1:41: ccl.defaults.n_slots: found '0', expected an integer from 1 to 65536");
  CHECK(machine_errors("system: {sips: {count: 0}}\n" + kAlgorithms) ==
        "t.yaml:1:24: system.sips.count: found '0', expected an integer from 1 to 256");
}

TEST_CASE("Resolved configuration of both: reads back to the same machine and algorithms") {
  const CclSpec ccl = parse_ccl("{defaults: {algorithm: a, n_slots: 3}, algorithms: {a: {kernel: k}}}", "c");
  const MachineSpec spec = machine("system: {sips: {count: 3}}");
  const std::string text = resolved_yaml(spec, ccl, kModels);
  const MachineSpec again = parse_machine(text, "again", {}, kModels);
  CHECK(resolved_yaml(again, kModels) == resolved_yaml(spec, kModels));
  CHECK(text.find("ccl:") != std::string::npos);
  CHECK(!difference({text, "a"}, {text, "b"}));
}

TEST_CASE("Resolved configurations: the first key that differs is reported with both values") {
  const CclSpec ccl = parse_ccl("{defaults: {algorithm: a}, algorithms: {a: {kernel: k}}}", "c");
  const CclSpec other =
      parse_ccl("{defaults: {algorithm: a}, algorithms: {a: {kernel: k, n_slots: 9}}}", "c");
  const std::string text = resolved_yaml(MachineSpec{}, ccl, kModels);
  const auto of_machine =
      difference({text, "a"}, {resolved_yaml(machine("system: {sips: {count: 3}}"), ccl, kModels), "b"});
  REQUIRE(of_machine);
  CHECK(of_machine->key == "system.sips.count");
  CHECK(of_machine->first == "2");
  CHECK(of_machine->second == "3");
  const auto of_ccl = difference({text, "a"}, {resolved_yaml(MachineSpec{}, other, kModels), "b"});
  REQUIRE(of_ccl);
  CHECK(of_ccl->key == "ccl.algorithms.a.n_slots");
  CHECK(difference({"{a: 1}", "a"}, {"{a: 1, b: 2}", "b"})->first == "nothing");
}

TEST_CASE("Overrides: the keys that one gives values to") {
  CHECK(overridden_keys("a.b=3") == std::vector<std::string>{"a.b"});
  CHECK(overridden_keys("a={b: 3, c: {d: [4]}}") == std::vector<std::string>{"a.b", "a.c.d"});
  CHECK(overridden_keys("a").empty());
}

TEST_CASE("Another model by override: attributes of the file that it lacks are dropped, and reported") {
  const std::string file = "cube: {xbar: {impl: builtin.router, overhead_ns: 3}}";
  CHECK(notes_of(file, {"cube.xbar.impl=builtin.sram"}) ==
        "--set cube.xbar.impl=builtin.sram: builtin.sram has no overhead_ns (t.yaml:1:37): left out\n");
  CHECK(machine(file, {"cube.xbar.impl=builtin.sram"}).cube.xbar.attrs.empty());
  CHECK(notes_of(file, {"cube.xbar={impl: builtin.sram, access_ns: 5}"}) ==
        "--set cube.xbar={impl: builtin.sram, access_ns: 5}: builtin.sram has no overhead_ns (t.yaml:1:37): "
        "left out\n");
  CHECK(notes_of(file, {"cube.xbar.overhead_ns=4"}).empty());
}

TEST_CASE("Another model by override: an unknown attribute, and one of the wrong model, stays wrong") {
  CHECK(machine_errors("cube: {xbar: {overhed_ns: 3}}", {"cube.xbar.impl=builtin.sram"}) ==
        "t.yaml:1:15: cube.xbar.overhed_ns: unknown key (known: bw_gbs, access_ns, impl, kind, attrs)");
  CHECK(machine_errors("cube: {xbar: {}}", {"cube.xbar.impl=builtin.sram", "cube.xbar.overhead_ns=3"}) ==
        "--set cube.xbar.overhead_ns=3: cube.xbar.overhead_ns: unknown key (known: bw_gbs, access_ns, impl, "
        "kind, attrs)");
  CHECK(machine_errors("cube: {xbar: {overhead_ns: 2}}",
                       {"cube.xbar.impl=builtin.sram", "cube.xbar.overhead_ns=3"}) ==
        "--set cube.xbar.overhead_ns=3: cube.xbar.overhead_ns: unknown key (known: bw_gbs, access_ns, impl, "
        "kind, attrs)");
  CHECK(machine_errors("cube: {xbar: {impl: builtin.sram, overhead_ns: 2}}", {"cube.xbar.access_ns=2"}) ==
        "t.yaml:1:35: cube.xbar.overhead_ns: unknown key (known: bw_gbs, access_ns, impl, kind, attrs)");
}
