// The speedup that threads could give a run, by the command.
#include <string>
#include <utility>

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

TEST_CASE("--parallel-bound: of a run that meets a limit, too") {
  const Outcome stopped = run_kbsim(kMainJob + " --quiet --parallel-bound --max-events 1000");
  CAPTURE(stopped.err);
  CHECK(stopped.exit == 4);
  CHECK(stopped.err.find("parallel bound of 1000 events") != std::string::npos);
}

TEST_CASE(
    "--parallel-bound: of the only simulation of an evaluation, with the same rows; of several it is "
    "refused") {
  for (const char* one :
       {"ccl -b 1K -e 1K", "tp_mlp --ranks 1", "gemm --m 32 --n 32 --k 64",
        "attention --panel multi_user_decode --ranks 1 --s_kv 1", "llm --on pe --prompt 4"}) {
    CAPTURE(one);
    const std::string command = std::string{"--topology topology.yaml --quiet --bench "} + one;
    const Outcome bound = run_kbsim(command + " --parallel-bound --num-threads 2");
    CAPTURE(bound.err);
    CHECK(bound.exit == 0);
    CHECK(bound.err.find("parallel bound of ") != std::string::npos);
    CHECK(bound.err.find("\nThreads ") != std::string::npos);
    CHECK(bound.out == run_kbsim(command).out);
  }
  for (const auto& [several, count] :
       {std::pair{"ccl -b 1K -e 4K", "2; a single size (-b SIZE -e SIZE) of a single operation (-o) is one"},
        {"tp_mlp", "3; --ranks 1 is one"},
        {"attention", "48; a single --panel with --ranks 1 --s_kv 1 is one"},
        {"milestone-1h-ccl", "456; --bench ccl --algorithm NAME -b SIZE -e SIZE is one"},
        {"milestone-1h-gemm", "24; --bench gemm --m M --n N --k K is one"}}) {
    const Outcome refused =
        run_kbsim(std::string{"--topology topology.yaml --dry-run --parallel-bound --bench "} + several);
    CAPTURE(refused.err);
    CHECK(refused.exit == 2);
    CHECK(refused.err.find(std::string{"is of a single simulation, and these are "} + count + "\n") !=
          std::string::npos);
  }
}

TEST_CASE("--parallel-bound and --explain count packet by packet: --exact-packets beside them says no more") {
  const auto events = [](const std::string& options) {
    const Outcome run = run_kbsim(kMainJob + " " + options);
    CHECK(run.exit == 0);
    const std::size_t end = run.err.find(" events, ");
    REQUIRE(end != std::string::npos);
    const std::size_t begin = run.err.rfind(' ', end - 1) + 1;
    return run.err.substr(begin, end - begin);
  };
  CHECK(events("--exact-packets") != events(""));
  for (const std::string option : {"--parallel-bound", "--explain"}) {
    CHECK(events(option) == events(option + " --exact-packets"));
  }
}

}  // namespace kbsim::contract::parallel_bound_test
