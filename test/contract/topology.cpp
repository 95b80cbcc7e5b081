#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

using namespace kbsim::test;

namespace {

std::string described(const std::string& arguments) {
  const Outcome outcome = run_kbsim("topology topology.yaml " + arguments);
  CAPTURE(arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return outcome.out;
}

// Every element that is opened is closed, in order.
bool balanced(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("Topology: the summary names totals, bisections and every class of links") {
  const std::string text = described("");
  for (const char* words : {"32 cubes, 256 PEs", "HBM 1.5 TiB", "65.5 TB/s raw, 52.4 TB/s effective",
                            "2097.2 TFLOP/s", "packages 256 GB/s", "crossbar to HBM"}) {
    CHECK_MESSAGE(text.find(words) != std::string::npos, words);
  }
}

TEST_CASE("Topology: JSON and Graphviz have every node and every link") {
  const auto json = boost::json::parse(described("--json"));
  const auto& summary = json.at("summary");
  const std::size_t nodes = json.at("nodes").as_array().size();
  const std::size_t links = json.at("links").as_array().size();
  CHECK(nodes == summary.at("nodes").to_number<std::size_t>());
  CHECK(links == summary.at("links").to_number<std::size_t>());
  CHECK(json.at("nodes").at(1).at("id").as_string() == "switch");
  CHECK(json.at("nodes").at(1).at("overhead_ns").to_number<double>() == 5.0);
  const std::string dot = described("--dot");
  CHECK(count(dot, "pos=") == nodes);
  CHECK(count(dot, " -> ") == links);
}

TEST_CASE("Topology: the drawing is well-formed for every machine") {
  for (const char* machine :
       {"", "--set system.sips.count=1 --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1",
        "--set cube.noc.w=1 --set cube.noc.h=1", "--set system.sips.count=16",
        "--set system.sips.count=16 --set system.sips.topology=torus_2d --set cube.noc.w=3"}) {
    const std::string svg = described(std::string{"--svg "} + machine);
    CHECK(svg.starts_with("<svg "));
    CHECK(balanced(svg));
    CHECK(svg.find("nan") == std::string::npos);
  }
}

TEST_CASE("Topology: --out writes a whole file or none") {
  const std::string file = written("machine.svg", "old");
  CHECK(described("--svg --out " + file).empty());
  CHECK(std::filesystem::file_size(file) > 1000);
  const Outcome outcome = run_kbsim("topology topology.yaml --out nowhere/machine.txt");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("can't write 'nowhere/machine.txt'") != std::string::npos);
}

TEST_CASE("Topology: mistakes are refused as in a run") {
  for (const char* arguments :
       {"", "nowhere.yaml", "topology.yaml --json --svg", "topology.yaml more",
        "topology.yaml --set system.sips.count=0", "topology.yaml --set cube.xbar.impl=builtin.sram"}) {
    const Outcome outcome = run_kbsim(std::string{"topology "} + arguments);
    CAPTURE(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}
