#include <doctest/doctest.h>

#include "support.hpp"

using namespace kbsim;
using config::Overrides;

namespace {

double switch_overhead(const std::string& text, const Overrides& overrides) {
  return std::get<double>(machine(text, overrides).system.components.pcie_switch.attrs.at("overhead_ns"));
}

// Overrides, or strings, from one pair of texts.
template <class T>
concept TakesPair = requires { T{{"sip.cube_mesh.w", "5"}}; };
static_assert(TakesPair<std::vector<std::string>>);  // two pointers that make one string
static_assert(!TakesPair<Overrides>);

}  // namespace

TEST_CASE("Overrides: are written as texts, or taken from strings") {
  const std::vector<std::string> strings{"a=1", "b=2"};
  const Overrides all = strings;
  CHECK(all == Overrides{"a=1", std::string{"b=2"}});
  CHECK(all.without(0) == Overrides{"b=2"});
  Overrides twice = all;
  twice.append(all);
  CHECK(twice.size() == 4);
  CHECK(Overrides{}.empty());
}

TEST_CASE("--set: replaces a value of the file, adds one that isn't there, and the last wins") {
  CHECK(machine("sip: {cube_mesh: {w: 2, h: 3}}", {"sip.cube_mesh.w=5"}).cubes_per_sip() == 15);
  CHECK(machine("schema_version: 1", {"sip.cube_mesh.w=5"}).cubes_per_sip() == 20);
  CHECK(machine("sip:", {"sip.cube_mesh.w=5", "sip.cube_mesh.w=6"}).cubes_per_sip() == 24);
}

TEST_CASE("--set: takes lists and maps, and a map leaves the section's other keys alone") {
  const config::MachineSpec spec =
      machine("sip: {cube_mesh: {w: 2, h: 3}}", {"sip.cube_mesh={h: 7}", "cube.pe_layout.corners=[SW, NE]"});
  CHECK(spec.cubes_per_sip() == 14);
  CHECK(spec.cube.pe_layout.corners == std::vector{config::Corner::SW, config::Corner::NE});
}

TEST_CASE("--set: reaches an attribute in either form, whichever the file uses") {
  for (const std::string file : {"{overhead_ns: 5}", "{attrs: {overhead_ns: 5}}", "{}"}) {
    const std::string text = "system: {components: {switch: " + file + "}}";
    CHECK(switch_overhead(text, {"system.components.switch.attrs.overhead_ns=6"}) == 6.0);
    CHECK(switch_overhead(text, {"system.components.switch.overhead_ns=7"}) == 7.0);
  }
  CHECK(switch_overhead("system:", {"system.components.switch.overhead_ns=7",
                                    "system.components.switch.attrs.overhead_ns=8"}) == 8.0);
}

TEST_CASE("--set: a mistake stands at the option") {
  const auto error = [](const std::string& option) { return machine_errors("schema_version: 1", {option}); };
  CHECK(error("cube.noc.w=0") ==
        "--set cube.noc.w=0: cube.noc.w: found '0', expected an integer from 1 to 64");
  CHECK(error("cube.nok.w=4") == "--set cube.nok.w=4: cube.nok: unknown key, did you mean 'noc'?");
  CHECK(error("cube.noc=4") ==
        "--set cube.noc=4: cube.noc: found '4', expected a map with keys of w, h, wrap, links, use, "
        "link_bw_gbs, router");
  CHECK(error("cube.noc.w=") ==
        "--set cube.noc.w=: cube.noc.w: found nothing, expected an integer from 1 to 64");
  CHECK(error("schema_version.x=1") ==
        "--set schema_version.x=1: schema_version: found a map, expected an integer from 1 to 1");
  CHECK(error("cube.xbar.overhed_ns=1") ==
        "--set cube.xbar.overhed_ns=1: cube.xbar.overhed_ns: unknown key, did you mean 'overhead_ns'?");
  CHECK(error("cube.pe_layout.pe_per_corner=5") ==
        "--set cube.pe_layout.pe_per_corner=5: cube.pe_layout.pe_per_corner: 4 corners of 5 PEs, expected at "
        "most 16 PEs a cube");
}

TEST_CASE(
    "--set: an empty map, which would change nothing, is refused; nothing at all takes away what is there") {
  const std::string file = "cube: {parts: {a: {model: {impl: builtin.xbar}}}}";
  for (const std::string option : {"cube.parts={}", "cube={parts: {}}", "cube={noc: {w: 2}, parts: {}}"})
    CHECK(machine_errors(file, {option}) ==
          "--set " + option + ": an empty map changes nothing, expected keys in it");
  CHECK(machine(file, {"cube.parts="}).cube.parts.empty());
}

TEST_CASE("--set: what isn't path=value is refused") {
  const auto error = [](const std::string& option) { return machine_errors("schema_version: 1", {option}); };
  for (const std::string option : {"", "cube", "=4", "cube..w=4", ".=1"})
    CHECK(error(option) == "--set " + option + ": expected path.to.key=value");
  CHECK(error("cube.noc.w=[") == "--set cube.noc.w=[: not valid YAML: end of sequence flow not found");
}
