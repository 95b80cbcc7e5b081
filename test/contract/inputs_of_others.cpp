#include <string>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::inputs_of_others_test {

using namespace kbsim::test;

namespace {

void refused(const std::string& script, const std::string& why) {
  const Outcome outcome = run_script(script);
  CAPTURE(script);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("Inputs of others: a pipe that would be read twice is refused, nobody waits for it") {
  for (const char* what : {"--bench gemm --layers pipe", "traffic --topology wormhole.yaml --trace pipe"})
    refused("rm -f pipe; mkfifo pipe; timeout 20 $KBSIM " + std::string{what}, "pipe: is read twice");
}

TEST_CASE("Inputs of others: a table without sizes and times is none of measured times") {
  refused("printf 'a,b\\n1,2\\n' > table.csv; $KBSIM import table.csv",
          "as measured times: no column 'size'");
  refused("printf 'hello world\\n1\\n' > text; $KBSIM import text", "no column 'size'");
}

}  // namespace kbsim::contract::inputs_of_others_test
