#include <filesystem>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::signals_test {

using namespace kbsim::test;

namespace {

// A long run that gets signals from its shell as soon as it has handlers for INT, USR1 and ALRM.
Outcome run_with(const std::string& signals) {
  return run_script(
      "timeout 60 $KBSIM " + kMainJob +
      " --quiet --set system.sips.count=64 --set sip.cube_mesh.w=8 --set sip.cube_mesh.h=4"
      " --set ccl.algorithms.intercube_allreduce.n_elem=2048 & outer=$!;"
      " tries=0; until pid=$(pgrep -P $outer) && caught=$(awk '/^SigCgt/{print $2}' /proc/$pid/status) &&"
      " [ $((0x$caught & 0x2202)) -eq $((0x2202)) ] || [ $((tries += 1)) -gt 400 ];"
      " do sleep 0.02; done; " +
      signals + "; wait $outer");
}

}  // namespace

TEST_CASE("Ctrl-C: ends the run in an orderly way with exit code 130, and says where simulated time stands") {
  const Outcome outcome = run_with("kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("kbsim: interrupted; simulated time stands at "));
  CHECK(outcome.err.ends_with(" events\n"));
}

TEST_CASE("SIGUSR1: says where the run stands, and lets it go on") {
  const Outcome outcome = run_with("kill -USR1 $pid; sleep 0.05; kill -INT $pid");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.err.starts_with("kbsim: simulated "));
  CHECK(outcome.err.find(" ns so far, ") != std::string::npos);
  CHECK(outcome.err.find("\nkbsim: interrupted") != std::string::npos);
}

TEST_CASE("Ctrl-C: a sweep writes the points that have ended, and ends with exit code 130") {
  const std::string folder = written("interrupted-sweep", "") + ".d";
  const Outcome outcome = run_script(
      "timeout 120 $KBSIM traffic --topology topology.yaml --scope mesh:16x16 --sweep --packets 300000"
      " --num-threads 1 --out " +
      folder +
      " 2> said & outer=$!;"
      " tries=0; until grep -q 'points: 1 of' said || [ $((tries += 1)) -gt 2000 ]; do sleep 0.02; done;"
      " kill -INT $(pgrep -P $outer); wait $outer; code=$?; cat said >&2; exit $code");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(outcome.err.find("interrupted: ") != std::string::npos);
  CHECK(outcome.out.find("load") != std::string::npos);
  for (const char* file : {"results.csv", "summary.json", "run.json"})
    CHECK_MESSAGE(std::filesystem::exists(folder + "/" + file), file);
}

}  // namespace kbsim::contract::signals_test
