// scripts/run.sh: what it hands on to the command, installing and building left out.
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::run_script_test {

using namespace kbsim::test;

namespace {

Outcome run_sh(const std::string& arguments) {
  return run_script(
      "folder=$(mktemp -d) && trap 'rm -r $folder' EXIT && mkdir -p $folder/scripts "
      "$folder/build/release/apps/kbsim && cp " KBSIM_SOURCE_DIR
      "/scripts/run.sh $folder/scripts && for s in build install-dependencies; do ln -s /bin/true "
      "$folder/scripts/$s.sh; done && ln -s $KBSIM $folder/build/release/apps/kbsim/kbsim && timeout 60 "
      "$folder/scripts/run.sh " +
      arguments);
}

bool says(const Outcome& outcome, const char* text) {
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  return outcome.out.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("run.sh: alone it runs the all-reduce, its data verified") {
  CHECK(says(run_sh("--quiet"), "intercube_allreduce (ws=2): "));
  CHECK(says(run_sh("--verify-data"), "ccl_in_r0"));
}

TEST_CASE("run.sh: what the user asks for takes the place of its own choices") {
  CHECK(says(run_sh("--timing-only"), "not checked (--timing-only)"));
  CHECK(says(run_sh("--bench=gemm_single_pe"), "gemm"));
  CHECK(says(run_sh("--version"), "kbsim "));
  CHECK(says(run_sh("-h"), "usage: kbsim "));
  CHECK(says(run_sh("--help"), "options of kbsim run"));
  CHECK(says(run_sh("list"), "benches:"));
}

}  // namespace kbsim::contract::run_script_test
