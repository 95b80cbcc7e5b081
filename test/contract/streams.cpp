// stdin, stdout and stderr that are closed, full, or without a reader.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::streams_test {

using namespace kbsim::test;

namespace {

const std::string kEvaluation = "--topology topology.yaml --bench ccl -b 1K -e 2K -f 2";
const std::string kTraffic = "traffic --topology topology.yaml --scope mesh:2x2 --load 0.1 --packets 100";
const std::string kSweep =
    "traffic --topology topology.yaml --scope mesh:2x2 --sweep --packets 100 --warmup 100";
const std::string kProbe = "probe --topology topology.yaml --case pe-local-hbm --json";

}  // namespace

TEST_CASE("Streams: what stderr doesn't take changes no result and no exit code") {
  for (const std::string& command : {kMainJob, kEvaluation, kTraffic, kSweep, kProbe}) {
    const Outcome good = run_script("timeout 60 $KBSIM " + command + " 2>/dev/null");
    REQUIRE(good.exit == 0);
    for (const char* lost : {" 2>&-", " 2>/dev/full", " 2> >(exec <&-; sleep 0.1)"}) {
      const Outcome outcome = run_script("bash -c 'timeout 60 $0 " + command + lost + "' $KBSIM");
      CAPTURE(command + lost);
      CHECK(outcome.exit == 0);
      CHECK(outcome.out == good.out);
    }
  }
}

TEST_CASE("Streams: with stderr closed no file of a run gets what would have gone there") {
  const std::string folder = written("no-stderr", "") + ".d";
  const Outcome outcome = run_script("timeout 60 $KBSIM " + kMainJob + " --out " + folder + " <&- 2>&-");
  CHECK(outcome.exit == 0);
  CHECK(boost::json::parse(contents(folder + "/summary.json")).at("correct") == true);
  for (const auto& file : std::filesystem::directory_iterator{folder})
    CHECK_MESSAGE(contents(file.path()).find("events/s") == std::string::npos, file.path().string());
}

TEST_CASE(
    "Streams: with stdout closed or full the result is lost, which is exit code 2, and files are whole") {
  const std::string folder = written("no-stdout", "") + ".d";
  for (const char* lost : {" >&-", " >/dev/full"}) {
    const Outcome outcome = run_script("timeout 60 $KBSIM " + kMainJob + " --out " + folder + lost);
    CHECK(outcome.exit == 2);
    CHECK(boost::json::parse(contents(folder + "/summary.json")).at("correct") == true);
  }
}

}  // namespace kbsim::contract::streams_test
