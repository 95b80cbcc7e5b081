// Every machine that comes with kbsim.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::configs_test {

using namespace kbsim::test;

namespace {

std::vector<std::string> machines() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{KBSIM_SOURCE_DIR "/configs"}) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".yaml" && name != "ccl.yaml" && name != "wormhole.yaml")
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

boost::json::object run(const std::string& machine, const std::string& more = "") {
  const Outcome outcome = run_kbsim("--topology " + machine + " --bench ccl_allreduce --json --quiet" + more);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  auto result = boost::json::parse(outcome.out).as_object();
  result.at("run").as_object().erase("host");
  return result;
}

double latency(const std::string& machine) {
  return run(machine).at("result").at("latency_ns").to_number<double>();
}

}  // namespace

TEST_CASE("Configs: the main job runs right on every machine, twice the same") {
  REQUIRE(machines().size() >= 4);
  for (const std::string& machine : machines()) {
    CAPTURE(machine);
    CHECK(run(machine) == run(machine));
  }
}

TEST_CASE("Configs: no order of simultaneous events shows in what the probe prints") {
  const std::string probe = "probe --topology topology.yaml --json";
  const Outcome expected = run_kbsim(probe);
  CHECK(expected.exit == 0);
  CHECK(run_kbsim(probe + " --shuffle-ties 1").out == expected.out);
}

TEST_CASE("Configs: the smaller machine is faster, and HBM3 slower than HBM4") {
  CHECK(latency("small.yaml") < latency("topology.yaml"));
  CHECK(latency("hbm3.yaml") > latency("hbm4.yaml"));
}

TEST_CASE("Configs: hbm_banks without attributes is the machine of hbm4.yaml") {
  const std::string bare =
      written("bare.yaml", "schema_version: 1\ncube: {hbm_ctrl: {impl: builtin.hbm_banks}}\n");
  CHECK(run(bare).at("run").at("digest") == run("hbm4.yaml").at("run").at("digest"));
}

TEST_CASE("Configs: times that contradict one another are refused with file, line and key") {
  const std::string file =
      written("contradiction.yaml",
              "schema_version: 1\ncube:\n  hbm_ctrl:\n    impl: builtin.hbm_banks\n    trc_ns: 1\n");
  const Outcome outcome = run_kbsim("--topology " + file + " --bench ccl_allreduce");
  CHECK(outcome.exit == 2);
  for (const char* part : {"contradiction.yaml:", "hbm0.trc_ns", "tras_ns + trp_ns"}) {
    CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, outcome.err);
  }
}

}  // namespace kbsim::contract::configs_test
