#include <doctest/doctest.h>

#include "support.hpp"

TEST_CASE("YAML: a text that can't be parsed is reported with yaml-cpp's place") {
  CHECK(machine_errors("system:\n  sips: {count: 2\n") ==
        "t.yaml:3:1: not valid YAML: end of map flow not found");
  CHECK(machine_errors("a: b: c\n") == "t.yaml:1:5: not valid YAML: illegal map value");
  CHECK(machine_errors("cube:\n  noc:\n  \tw: 4\n")
            .ends_with("; line 3 is indented with a tab, YAML takes spaces"));
  CHECK(machine_errors("cube:\n\tnoc: {w: 4}\n")
            .ends_with("; line 2 is indented with a tab, YAML takes spaces"));
  CHECK(machine_errors("a: *b\n") == "t.yaml:1:4: not valid YAML: the referenced anchor is not defined");
}

TEST_CASE("YAML: one document, keys are names") {
  CHECK(machine_errors("schema_version: 1\n---\nschema_version: 1\n") ==
        "t.yaml:2:1: a second document starts, expected one");
  CHECK(machine_errors("? [a, b]\n: 1\n") == "t.yaml:1:3: a key must be a name");
}

TEST_CASE("YAML: an alias stands for a copy") {
  const auto spec = machine("sip:\n  io: {link: &wire {bw_gbs: 100, length_mm: 3}}\n  ucie_link: *wire\n");
  CHECK(spec.sip.ucie_link.length_mm == 3.0);
  CHECK(machine_errors("sip: &a {io: *a}\n").find("alias") != std::string::npos);
}

TEST_CASE("YAML: aliases that multiply are stopped") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 8; ++k) text += ", " + before;
    text += "]\n";
  }
  CHECK(machine_errors(text) == "t.yaml:5:15: more than 20000 values, aliases counted each time");
}

TEST_CASE("YAML: depth and size are bounded") {
  CHECK(machine_errors(std::string(33, '[') + std::string(33, ']')) ==
        "t.yaml:1:33: nested more than 32 levels deep");
  CHECK(machine_errors(std::string(100'000, '[')).find("nested more than 32") != std::string::npos);
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string name = "a" + std::to_string(i);
    chain += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(machine_errors(chain).find("nested more than 32 levels deep") != std::string::npos);
  CHECK(machine_errors(std::string((1 << 20) + 1, ' ')) == "t.yaml: is larger than 1048576 bytes");
}

TEST_CASE("YAML: a byte order mark at the start is no part of the first key, and moves no column") {
  CHECK(machine_errors("\xef\xbb\xbfsystem: {sips: {count: 3}}\n").empty());
  CHECK(machine_errors("\xef\xbb\xbfsytem: {}\n") ==
        "t.yaml:1:1: sytem: unknown key, did you mean 'system'?");
}
