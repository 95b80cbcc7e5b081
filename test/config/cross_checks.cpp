#include <doctest/doctest.h>

#include "support.hpp"

TEST_CASE("Cross checks: corners are distinct and at least one") {
  CHECK(machine_errors("cube:\n  pe_layout: {corners: []}\n") ==
        "t.yaml:2:24: cube.pe_layout.corners: found an empty list, expected at least one corner");
  CHECK(machine_errors("cube:\n  pe_layout: {corners: [NW, SE, NW]}\n") ==
        "t.yaml:2:24: cube.pe_layout.corners: found a corner twice, expected distinct ones");
}

TEST_CASE("Cross checks: cubes and PEs fit into physical addresses") {
  CHECK(machine_errors("sip: {cube_mesh: {w: 8, h: 4}}").empty());
  CHECK(machine_errors("sip: {cube_mesh: {w: 11, h: 3}}") ==
        "t.yaml:1:22: sip.cube_mesh.w: w x h is 11 x 3, expected at most 32 cubes");
  CHECK(machine_errors("sip: {cube_mesh: {h: 9}}") ==  // w isn't given: the section's place
        "t.yaml:1:18: sip.cube_mesh.w: w x h is 4 x 9, expected at most 32 cubes");
  CHECK(machine_errors("cube: {pe_layout: {corners: [NW], pe_per_corner: 16}}").empty());
  CHECK(machine_errors("cube: {pe_layout: {corners: [NW, SE], pe_per_corner: 9}}") ==
        "t.yaml:1:54: cube.pe_layout.pe_per_corner: 2 corners of 9 PEs, expected at most 16 PEs a cube");
  CHECK(machine_errors("system: {sips: {count: 257}}") ==
        "t.yaml:1:24: system.sips.count: found '257', expected an integer from 1 to 256");
}

TEST_CASE("Cross checks: memories fit one another and into physical addresses") {
  CHECK(machine_errors("cube: {memory: {tcm_bytes: 4MiB}}") ==
        "t.yaml:1:16: cube.memory.tcm_scheduler_bytes: found 4 MiB, expected less than tcm_bytes (4 MiB)");
  CHECK(machine_errors("cube: {memory: {hbm_bytes_per_pe: 16GiB}}").empty());
  CHECK(
      machine_errors("cube: {memory: {hbm_bytes_per_pe: 17GiB}}") ==
      "t.yaml:1:35: cube.memory.hbm_bytes_per_pe: found 17 GiB for each of 8 PEs, expected at most 128 GiB a "
      "cube");
}

TEST_CASE("Cross checks: a 2-D arrangement holds all packages") {
  CHECK(machine_errors("system: {sips: {count: 6, topology: torus_2d, w: 3, h: 2}}").empty());
  CHECK(machine_errors("system: {sips: {count: 6, topology: torus_2d}}").empty());
  CHECK(machine_errors("system: {sips: {count: 6, topology: ring_1d, w: 3, h: 2}}").empty());
  CHECK(machine_errors("system: {sips: {count: 6, topology: ring_1d, w: 4, h: 4}}") ==
        "t.yaml:1:49: system.sips.w: w x h is 4 x 4, expected 6 packages in all, or 0 x 0 for the squarest "
        "grid");
  CHECK(machine_errors("system: {sips: {count: 6, topology: mesh_2d, w: 4, h: 2}}") ==
        "t.yaml:1:49: system.sips.w: w x h is 4 x 2, expected 6 packages in all, or 0 x 0 for the squarest "
        "grid");
  CHECK(machine_errors("system: {sips: {count: 6, topology: mesh_2d, w: 3}}") ==
        "t.yaml:1:49: system.sips.w: w x h is 3 x 0, expected 6 packages in all, or 0 x 0 for the squarest "
        "grid");
}

TEST_CASE("Cross checks: nothing is concluded from a value that couldn't be read") {
  CHECK(machine_errors("system: {sips: {count: six, topology: mesh_2d, w: 3, h: 2}}") ==
        "t.yaml:1:24: system.sips.count: found 'six', expected an integer from 1 to 256");
}
