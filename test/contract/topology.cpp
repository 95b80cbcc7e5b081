#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::topology_test {

using namespace kbsim::test;

namespace {

std::string described(const std::string& arguments) {
  const Outcome outcome = run_kbsim("topology topology.yaml " + arguments);
  CAPTURE(arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return outcome.out;
}

}  // namespace

TEST_CASE("Topology: text, JSON, Graphviz or a drawing, and nothing else on stdout") {
  CHECK(described("").find("32 cubes, 256 PEs") != std::string::npos);
  CHECK(boost::json::parse(described("--json")).at("topology") == "topology.yaml");
  CHECK(described("--dot").starts_with("digraph "));
  CHECK(described("--svg").starts_with("<svg "));
}

TEST_CASE("Topology: --out writes a whole file or none") {
  const std::string file = written("machine.svg", "old");
  CHECK(described("--svg --out " + file).empty());
  CHECK(std::filesystem::file_size(file) > 1000);
  const Outcome outcome = run_kbsim("topology topology.yaml --out nowhere/machine.txt");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("can't write 'nowhere/machine.txt'") != std::string::npos);
}

TEST_CASE("Topology: --out with the name of another form is refused with its option") {
  for (const char* form : {"svg", "dot", "json"}) {
    const Outcome outcome = run_kbsim(std::string{"topology topology.yaml --out m."} + form);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == std::string{"kbsim: --out m."} + form + ": what is written is no " + form +
                             " without --" + form + "\n");
  }
}

TEST_CASE("Topology: mistakes are refused as in a run") {
  for (const char* arguments :
       {"nowhere.yaml", "topology.yaml --json --svg", "topology.yaml more",
        "topology.yaml --set system.sips.count=0", "topology.yaml --set cube.xbar.impl=builtin.sram"}) {
    const Outcome outcome = run_kbsim(std::string{"topology "} + arguments);
    CAPTURE(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}

}  // namespace kbsim::contract::topology_test
