#include <doctest/doctest.h>

#include "support.hpp"

using namespace kbsim;

TEST_CASE("Component section: attributes stand beside impl or under attrs") {
  const auto overhead = [](const std::string& text) {
    return std::get<double>(machine(text).cube.xbar.attrs.at("overhead_ns"));
  };
  CHECK(overhead("cube: {xbar: {overhead_ns: 3}}") == 3.0);
  CHECK(overhead("cube: {xbar: {attrs: {overhead_ns: 3}}}") == 3.0);
  CHECK(overhead("cube: {xbar: {impl: builtin.router, kind: any, overhead_ns: 3}}") == 3.0);
}

TEST_CASE("Component section: only what is given is kept, in the types of the model") {
  const config::MachineSpec spec = machine("pe:\n  pe_dma: {vc_chunk_size: 1KiB}\n  pe_cpu:\n");
  CHECK(spec.pe.pe_dma.attrs == std::map<std::string, Scalar>{{"vc_chunk_size", std::int64_t{1024}}});
  CHECK(to_string(spec.pe.pe_dma.at) == "t.yaml:2:11");
  CHECK(spec.pe.pe_cpu.attrs.empty());
  CHECK(spec.pe.pe_cpu.impl == "builtin.pe_cpu");
}

TEST_CASE("Component section: attributes are checked against the chosen model") {
  CHECK(machine_errors("cube: {xbar: {overhed_ns: 3}}") ==
        "t.yaml:1:15: cube.xbar.overhed_ns: unknown key, did you mean 'overhead_ns'?");
  CHECK(machine_errors("cube: {xbar: {attrs: {width: 3}}}") ==
        "t.yaml:1:23: cube.xbar.width: unknown key (known: overhead_ns, impl, kind, attrs)");
  CHECK(machine_errors("cube: {xbar: {impl: builtin.sram, overhead_ns: 2}}") ==
        "t.yaml:1:35: cube.xbar.overhead_ns: unknown key (known: bw_gbs, access_ns, impl, kind, attrs)");
  CHECK(machine_errors("cube: {hbm_ctrl: {attrs: {efficiency: 80}}}") ==
        "t.yaml:1:39: cube.hbm_ctrl.efficiency: found '80', expected a positive number of at most 1");
}

TEST_CASE("Component section: an unknown model names the nearest") {
  CHECK(machine_errors("cube: {sram: {impl: builtin.srm}}") ==
        "t.yaml:1:21: cube.sram.impl: unknown model 'builtin.srm', did you mean 'builtin.sram'?");
  CHECK(machine_errors("cube: {sram: {impl: [a]}}") ==
        "t.yaml:1:21: cube.sram.impl: found a list, expected a text");
  CHECK(machine_errors("cube: {sram: {kind: {a: b}}}") ==
        "t.yaml:1:21: cube.sram.kind: found a map, expected a text");
}

TEST_CASE("Component section: a kind is refused where there is none") {
  CHECK(machine_errors("cube: {sram: {kind: sram}}").empty());
  CHECK(machine_errors("system: {routing: {impl: builtin.xy, kind: routing}}") ==
        "t.yaml:1:38: system.routing.kind: has no meaning: builtin.xy is of no kind that the machine knows");
}

TEST_CASE("Component section: a model that an override chooses has that one's place") {
  const std::string file = "cube:\n  sram: {impl: builtin.sram, access_ns: 3}\n";
  const auto place = [&](const config::Overrides& set) { return to_string(machine(file, set).cube.sram.at); };
  CHECK(place({}) == "t.yaml:2:9");
  CHECK(place({"cube.sram.access_ns=4"}) == "t.yaml:2:9");
  CHECK(place({"cube.sram.impl=builtin.hbm_ctrl"}) == "--set cube.sram.impl=builtin.hbm_ctrl");
  CHECK(place({"cube.sram={impl: builtin.xbar}"}) == "--set cube.sram={impl: builtin.xbar}");
}

TEST_CASE("Component section: what isn't a map of attributes is refused") {
  CHECK(machine_errors("cube: {sram: builtin.sram}") ==
        "t.yaml:1:14: cube.sram: found 'builtin.sram', expected a map with impl and the model's attributes");
  CHECK(machine_errors("cube: {sram: {attrs: 4}}") ==
        "t.yaml:1:22: cube.sram.attrs: found '4', expected a map of attributes");
  CHECK(machine_errors("cube: {sram: {access_ns: 4, attrs: {access_ns: 5}}}") ==
        "t.yaml:1:37: cube.sram.access_ns: given twice, first at t.yaml:1:15");
}
