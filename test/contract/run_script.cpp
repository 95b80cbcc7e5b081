// scripts/run.sh: the arguments that it passes to the command, without installing and building.
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

TEST_CASE(
    "run.sh: a first build prints its estimate, the command's place and both times; a later one nothing") {
  const std::string prepare =
      "folder=$(mktemp -d) && trap 'rm -r $folder' EXIT && mkdir -p $folder/scripts "
      "$folder/build/release/apps/kbsim && cp " KBSIM_SOURCE_DIR
      "/scripts/run.sh $folder/scripts && ln -s /bin/true $folder/scripts/install-dependencies.sh && "
      "printf '#!/bin/sh\nln -sf %s %s\n' $KBSIM $folder/build/release/apps/kbsim/kbsim > "
      "$folder/scripts/build.sh && chmod +x $folder/scripts/build.sh && ";
  const Outcome first = run_script(prepare + "$folder/scripts/run.sh version");
  CHECK(first.exit == 0);
  CHECK_MESSAGE(first.err.find("The first build takes about 12 minutes of one core") == 0, first.err);
  CHECK(first.err.find("/build/release/apps/kbsim/kbsim\n") != std::string::npos);
  CHECK(first.err.find("run.sh: packages 0 s, from build to first result ") != std::string::npos);
  CHECK(run_script(prepare + "$folder/scripts/run.sh --bench nothing").exit == 2);
  const Outcome later =
      run_script(prepare + "$folder/scripts/build.sh && timeout 60 $folder/scripts/run.sh version");
  CHECK(later.exit == 0);
  CHECK(later.err.empty());
}

TEST_CASE("build.sh: a build folder that was moved or copied says what to do") {
  const std::string build =
      "folder=$(mktemp -d) && trap 'rm -r $folder' EXIT && mkdir -p $folder/scripts $folder/build/release "
      "$folder/bin && ln -s /bin/true $folder/bin/cmake && export PATH=$folder/bin:$PATH && "
      "cp " KBSIM_SOURCE_DIR "/scripts/build.sh $folder/scripts && ";
  const auto made_for = [](const std::string& where) {
    return "echo CMAKE_HOME_DIRECTORY:INTERNAL=" + where +
           " > $folder/build/release/CMakeCache.txt && $folder/scripts/build.sh release";
  };
  const Outcome moved = run_script(build + made_for("/somewhere/else"));
  CHECK(moved.exit == 2);
  CHECK_MESSAGE(moved.err.find("build/release was made for /somewhere/else, and this is ") == 0, moved.err);
  CHECK(moved.err.find("\n  rm -r /") != std::string::npos);
  CHECK(run_script(build + made_for("$folder")).exit == 0);
  CHECK(run_script(build + "$folder/scripts/build.sh release").exit == 0);
}

}  // namespace kbsim::contract::run_script_test
