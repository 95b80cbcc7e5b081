#include <doctest/doctest.h>

#include "support.hpp"

TEST_CASE("Config: an integer must be one, of its range") {
  const auto width = [](const std::string& value) {
    return machine_errors("sip:\n  cube_mesh:\n    w: " + value + "\n");
  };
  const std::string place = "t.yaml:3:8: sip.cube_mesh.w: found ";
  const std::string expected = ", expected an integer from 1 to 32";
  CHECK(width("7").empty());
  CHECK(width("+7").empty());
  for (const std::string value : {"0", "65", "-1", "2.5", "two", "1e1", "0x4", "99999999999999999999", "+-3"})
    CHECK(width(value) == place + "'" + value + "'" + expected);
  CHECK(width("\"4\"") == place + "the text \"4\"" + expected);
  CHECK(width("[4]") == place + "a list" + expected);
  CHECK(width("{a: 4}").starts_with(place + "a map" + expected));
  CHECK(width("") == "t.yaml:3:5: sip.cube_mesh.w: found nothing" + expected);
}

TEST_CASE("Config: a number must be finite and of its range") {
  const auto delay = [](const std::string& value) {
    return machine_errors("cube:\n  hbm_ctrl: {efficiency: 0.5, access_ns: " + value + "}\n");
  };
  CHECK(delay("3").empty());
  CHECK(delay("1e-3").empty());
  for (const std::string value : {"-1", ".nan", "nan", ".inf", "inf", "1e999", "1e10", "3ns", "0x1p3"}) {
    CHECK(delay(value) == "t.yaml:2:42: cube.hbm_ctrl.access_ns: found '" + value +
                              "', expected a number from 0 to 1000000000");
  }
}

TEST_CASE("Config: a positive number and a bandwidth name what they accept") {
  CHECK(machine_errors("pe: {pe_cpu: {freq_ghz: 0}}") ==
        "t.yaml:1:25: pe.pe_cpu.freq_ghz: found '0', expected a positive number");
  CHECK(machine_errors("pe: {link_bw_gbs: -4}") ==
        "t.yaml:1:19: pe.link_bw_gbs: found '-4', expected a number from 0.001 to 1000000000");
}

TEST_CASE("Config: what is more than any machine has is refused, though no limit is in sight") {
  CHECK(machine_errors("system: {packet_bytes: 1024TiB}").empty());
  for (const std::string much : {"1025TiB", "9223372036854775807", "99999999999999999999"}) {
    CHECK(machine_errors("system: {packet_bytes: " + much + "}") ==
          "t.yaml:1:24: system.packet_bytes: found '" + much +
              "', expected a size of at least 0 B, like 4096, 4KiB or 16MiB; no machine has so many");
  }
  CHECK(
      machine_errors("pe: {pe_cpu: {max_commands: 1125899906842625}}") ==
      "t.yaml:1:29: pe.pe_cpu.max_commands: found '1125899906842625', expected an integer of at least 1; no "
      "machine has so many");
}

TEST_CASE("Config: a size is a count of bytes with or without a binary unit") {
  const auto sram = [](const std::string& value) {
    return machine_errors("cube:\n  memory:\n    sram_bytes: " + value + "\n");
  };
  for (const char* good : {"4096", "4KiB", "16MiB", "16 MiB", "\"1K\"", "512M"}) CHECK(sram(good).empty());
  for (const std::string bad : {"0", "-1", "2.5MiB", "4KB", "1GiB", "many", "999999999999TiB"}) {
    CHECK(sram(bad) == "t.yaml:3:17: cube.memory.sram_bytes: found '" + bad +
                           "', expected a size from 1 B to 512 MiB, like 4096, 4KiB or 16MiB");
  }
}

TEST_CASE("Config: a choice names all, and the nearest") {
  CHECK(machine_errors("pe: {issue: blocked}") ==
        "t.yaml:1:13: pe.issue: found 'blocked', expected one of queued, blocking");
  CHECK(machine_errors("system: {sips: {topology: ring_1}}") ==
        "t.yaml:1:27: system.sips.topology: found 'ring_1', expected one of ring_1d, torus_2d, mesh_2d, "
        "mesh_2d_no_wrap, ring_1d_unidir, tree_binary, all_pairs, doubling_distances, full, links; did you "
        "mean "
        "'ring_1d'?");
}

TEST_CASE("Config: a list holds texts of its choices") {
  const auto corners = [](const std::string& value) {
    return machine_errors("cube:\n  pe_layout:\n    corners: " + value + "\n");
  };
  CHECK(corners("[NW, SE]").empty());
  CHECK(corners("NW") ==
        "t.yaml:3:14: cube.pe_layout.corners: found 'NW', expected a list, each one of NW, NE, SW, SE");
  CHECK(corners("[NW, north]") ==
        "t.yaml:3:19: cube.pe_layout.corners: found 'north', expected one of NW, NE, SW, SE");
  CHECK(
      corners("[west, NW, [SE], WN]") ==
      "t.yaml:3:15: cube.pe_layout.corners: found 'west', expected one of NW, NE, SW, SE\n"
      "t.yaml:3:25: cube.pe_layout.corners: found a list, expected one of NW, NE, SW, SE\n"
      "t.yaml:3:31: cube.pe_layout.corners: found 'WN', expected one of NW, NE, SW, SE; did you mean 'NW'?");
}

TEST_CASE("Config: a long or unprintable value doesn't spoil the message") {
  CHECK(machine_errors("pe: {issue: \"" + std::string(60, 'x') + "\"}") ==
        "t.yaml:1:13: pe.issue: found the text \"" + std::string(48, 'x') +
            "...\", expected one of queued, blocking");
  CHECK(machine_errors("pe: {issue: \"a\\nb\"}") ==
        "t.yaml:1:13: pe.issue: found the text \"a?b\", expected one of queued, blocking");
}
