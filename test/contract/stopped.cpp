// Runs that are stopped before their end: what is said of them.
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::stopped_test {

using namespace kbsim::test;

TEST_CASE("A run that meets a limit lists who waits, and no cycle: it isn't a deadlock") {
  for (const char* limit : {"--max-sim-time 1500", "--stop-at 1500", "--max-events 2500"}) {
    const Outcome outcome = run_kbsim(kMainJob + " --quiet " + limit);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(outcome.err.find(" processes wait") != std::string::npos);
    CHECK(outcome.err.find("intercube_allreduce on sip0.cube0.pe0 waits for ") != std::string::npos);
    CHECK(outcome.err.find("cycle") == std::string::npos);
    CHECK(outcome.err.find("never issued") == std::string::npos);
  }
}

}  // namespace kbsim::contract::stopped_test
