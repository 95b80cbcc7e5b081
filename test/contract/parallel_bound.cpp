// What threads could give a run, by the command.
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::parallel_bound_test {

using namespace kbsim::test;

TEST_CASE("--parallel-bound: tables by package and by cube on stderr, and the same result on stdout") {
  const Outcome plain = run_kbsim(kMainJob + " --quiet --json");
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --json --parallel-bound");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  const auto digest = [](const std::string& json) { return json.substr(json.find("\"digest\""), 30); };
  CHECK(digest(outcome.out) == digest(plain.out));
  for (const char* part :
       {"parallel bound of ", "\nby package: 3 processes, lookahead 8 ns (",
        "5 ns + system.host_link.length_mm, 3 ns)\n  ", "\nby cube: 35 processes, lookahead 8 ns (",
        "\n  threads          1       2       4 ", "\n  by events     1.00 ", "\n  by time       1.00 ",
        "\nThreads "})
    CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, part);
  CHECK(plain.err.find("parallel bound") == std::string::npos);
}

TEST_CASE("--parallel-bound: queues that give credits back beside the links make one process of all") {
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --parallel-bound --set ccl.defaults.credit=direct");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(outcome.err.find("by cube: 1 process, nothing crosses\n  1 window of ") != std::string::npos);
  CHECK(outcome.err.find("Threads wouldn't pay here") != std::string::npos);
}

TEST_CASE("--parallel-bound: of a run that meets a limit, too; of many simulations it is refused") {
  const Outcome stopped = run_kbsim(kMainJob + " --quiet --parallel-bound --max-events 1000");
  CAPTURE(stopped.err);
  CHECK(stopped.exit == 4);
  CHECK(stopped.err.find("parallel bound of 1000 events") != std::string::npos);
  const Outcome many = run_kbsim("--topology topology.yaml --bench ccl -b 1K -e 1K --parallel-bound");
  CAPTURE(many.err);
  CHECK(many.exit == 5);
  CHECK(many.err.find("--parallel-bound are of a single one") != std::string::npos);
}

}  // namespace kbsim::contract::parallel_bound_test
