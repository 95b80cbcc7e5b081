// What a user reads before anything runs: help, mistakes told, completion, the manual page, progress.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::help_test {

using namespace kbsim::test;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("--topology: without it the machine is topology.yaml, and run.json and the run's end say so") {
  const std::string out = written("unnamed", "") + ".d";
  const Outcome unnamed = run_kbsim("--bench gemm_single_pe --out " + out);
  REQUIRE_MESSAGE(unnamed.exit == 0, unnamed.err);
  CHECK(unnamed.err.ends_with(", on topology.yaml\n"));
  const boost::json::value record = boost::json::parse(contents(out + "/run.json"));
  CHECK(record.at("command") == boost::json::array{"kbsim", "run", "--topology", "topology.yaml", "--bench",
                                                   "gemm_single_pe", "--out", out});
  CHECK(boost::json::parse(contents(out + "/summary.json")).at("topology").as_string() == "topology.yaml");

  const Outcome named = run_kbsim("--topology topology.yaml --bench gemm_single_pe");
  CHECK(named.out == unnamed.out);
  CHECK(!says(named.err, "topology.yaml"));
  CHECK(run_kbsim("topology").out == run_kbsim("topology topology.yaml").out);
  CHECK(run_kbsim("probe --case pe-local-hbm").exit == 0);
  for (const char* unfinished :
       {"--bench", "--bench gemm_single_pe --out", "--bench milestone-1h-gemm --set"})
    CHECK(says(run_kbsim(unfinished).err, "the required argument for option"));
  CHECK(says(run_kbsim("traffic --scope link --load 0.5 --packets 100").err, ", on topology.yaml\n"));
  for (const char* command : {"run", "probe", "traffic", "topology"})
    CHECK(says(run_kbsim(std::string{command} + " --help").out, "--topology FILE (=topology.yaml)"));
}

TEST_CASE("--topology: a topology.yaml of the current folder comes before the installed one") {
  const Outcome outcome = run_script(
      "mkdir -p mine && cd mine && echo 'no_such: 1' > topology.yaml && $KBSIM --bench gemm_single_pe");
  CHECK(outcome.exit == 2);
  CHECK(says(outcome.err, "topology.yaml:1:1: no_such: unknown key"));
}

}  // namespace kbsim::contract::help_test
