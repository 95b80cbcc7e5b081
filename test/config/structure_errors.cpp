#include <doctest/doctest.h>

#include "support.hpp"

TEST_CASE("Config: an unknown key names the nearest, or all") {
  CHECK(machine_errors("system:\n  ns_per_m: 1\n") ==
        "t.yaml:2:3: system.ns_per_m: unknown key, did you mean 'ns_per_mm'?");
  CHECK(machine_errors("sip:\n  cube_mesh: {w: 2, depth: 3}\n") ==
        "t.yaml:2:21: sip.cube_mesh.depth: unknown key (known: w, h)");
  CHECK(machine_errors("sytem: {}\n") == "t.yaml:1:1: sytem: unknown key, did you mean 'system'?");
}

TEST_CASE("Config: a section must be a map") {
  CHECK(machine_errors("sip:\n  cube_mesh: 4\n") ==
        "t.yaml:2:14: sip.cube_mesh: found '4', expected a map with keys of w, h");
  CHECK(machine_errors("sip:\n  cube_mesh: [4, 4]\n") ==
        "t.yaml:2:14: sip.cube_mesh: found a list, expected a map with keys of w, h");
  CHECK(machine_errors("sip:\n  cube_mesh:\n").empty());  // nothing given: all defaults
}

TEST_CASE("Config: the top level must be a map") {
  const std::string keys = ", expected a map with keys of schema_version, system, sip, cube, pe, software";
  CHECK(machine_errors("- 1\n") == "t.yaml:1:1: found a list" + keys);
  CHECK(machine_errors("hello\n") == "t.yaml:1:1: found 'hello'" + keys);
}

TEST_CASE("Config: an empty file is an error") {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~"})
    CHECK(machine_errors(text) == "t.yaml: the file is empty");
}

TEST_CASE("Config: a key given twice is an error at the second") {
  CHECK(machine_errors("system:\n  ns_per_mm: 1\n  control_bytes: 16\n  ns_per_mm: 2\n") ==
        "t.yaml:4:3: system.ns_per_mm: given twice, first at t.yaml:2:3");
}

TEST_CASE("Config: an old or future schema is refused") {
  CHECK(machine_errors("schema_version: 2") ==
        "t.yaml:1:17: schema_version: found '2', expected an integer from 1 to 1");
}

TEST_CASE("Config: all errors of a file come at once, in the order of the file, overrides last") {
  CHECK(machine_errors("pe: {isue: queued}\n"
                       "system:\n"
                       "  sips: {count: two, w: 3, h: 3, topology: mesh_2d}\n"
                       "  ns_per_mm: .inf\n"
                       "cube:\n"
                       "  xbar: {impl: builtin.xbr}\n"
                       "  pe_layout: {corners: [NW, NW]}\n",
                       {"sip.cube_mesh.w=0", "colour=red"}) ==
        "t.yaml:1:6: pe.isue: unknown key, did you mean 'issue'?\n"
        "t.yaml:3:17: system.sips.count: found 'two', expected an integer from 1 to 256\n"
        "t.yaml:4:14: system.ns_per_mm: found '.inf', expected a number from 0 to 1000\n"
        "t.yaml:6:16: cube.xbar.impl: unknown model 'builtin.xbr', did you mean 'builtin.xbar'?\n"
        "t.yaml:7:24: cube.pe_layout.corners: found a corner twice, expected distinct ones\n"
        "--set colour=red: colour: unknown key (known: schema_version, system, sip, cube, pe, software)\n"
        "--set sip.cube_mesh.w=0: sip.cube_mesh.w: found '0', expected an integer from 1 to 32");
}
