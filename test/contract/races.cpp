// --race: accesses that nothing orders.
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::races_test {

using namespace kbsim::test;

namespace {

const std::string kRacy = kMainJob + " --plugin " KBSIM_BINARY
                                     "/contract/plugins/plugin_racy.so --set "
                                     "ccl.algorithms.intercube_allreduce.kernel=racy ";

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("--race: by default ten races are reported on stderr, the rest counted, and the run goes on") {
  const Outcome outcome = run_kbsim(kRacy);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 7);  // it is no all-reduce
  CHECK(times(outcome.err, "warning: data race at ") == 10);
  CHECK(times(outcome.err, "kernel racy on sip") == 20);
  CHECK(times(outcome.err, " at racy.cpp:") == 40);  // the lines of both accesses, and the missing order
  CHECK(times(outcome.err, ", in tensor '") == 10);
  CHECK(times(outcome.err, "and 22 more data races\n") == 1);  // 32 cubes
  CHECK(times(outcome.out, "data race") == 0);
  CHECK(run_kbsim(kRacy + "--race warn --quiet").err == run_kbsim(kRacy + "--quiet").err);
}

TEST_CASE("--race error: the first race ends the run with exit 8, the same one in any order of events") {
  const Outcome outcome = run_kbsim(kRacy + "--race error");
  CHECK(outcome.exit == 8);
  CHECK(times(outcome.err, "data race at ") == 1);
  for (const char* seed : {"1", "2", "3"})
    CHECK(run_kbsim(kRacy + "--race error --shuffle-ties " + seed).err == outcome.err);
}

TEST_CASE("--race: a run that ends in a fault or a deadlock reports its races, too") {
  for (const char* kernel : {"racy_fault", "racy_deadlock"}) {
    CAPTURE(kernel);
    const std::string job = kRacy + "--set ccl.algorithms.intercube_allreduce.kernel=" + kernel + " ";
    const Outcome outcome = run_kbsim(job);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 8);
    CHECK(times(outcome.err, "warning: data race at ") > 0);
    CHECK(run_kbsim(job + "--shuffle-ties 1").err == outcome.err);
    CHECK(times(run_kbsim(job + "--race off").err, "data race") == 0);
  }
}

TEST_CASE("--race off: nothing is checked") {
  const Outcome outcome = run_kbsim(kRacy + "--race off");
  CHECK(outcome.exit == 7);
  CHECK(times(outcome.err, "data race") == 0);
}

TEST_CASE("--race: no bench has one; what it must be is said") {
  for (const char* bench :
       {"ccl_allreduce", "gemm_single_pe", "qkv_gemm", "qkv_gemm_multi_pe", "va_offset_verify"}) {
    CAPTURE(bench);
    const Outcome outcome = run_kbsim(std::string{"--topology topology.yaml --race error --bench "} + bench);
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  }
  const Outcome wrong = run_kbsim(kMainJob + " --race maybe");
  CHECK(wrong.exit == 2);
  CHECK(times(wrong.err, "--race must be error, warn or off, got 'maybe'") == 1);
  CHECK(run_kbsim("--topology topology.yaml --bench milestone-1h-gemm --race error").exit == 5);
}

}  // namespace kbsim::contract::races_test
