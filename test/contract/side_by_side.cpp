// Packages that threads simulate side by side, by the command.
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::side_by_side_test {

using namespace kbsim::test;

namespace {

// All results but what the run cost: the number of events, wall time, memory.
std::string results(const std::string& json) {
  const std::string all = json.substr(0, json.find("\"host\""));
  const std::size_t events = all.find("\"events\"");
  return events == std::string::npos ? all : all.substr(0, events) + all.substr(all.find(',', events));
}

Outcome run_on(int threads, const std::string& more) {
  return run_kbsim(kMainJob + " --quiet --json --num-threads " + std::to_string(threads) + " " + more);
}

}  // namespace

TEST_CASE("--num-threads: packages side by side give the same results and digest as one thread") {
  for (const char* how : {"--race off --verify-data --set system.sips.count=4", "--timing-only",
                          "--race off --set system.sips.count=3 --exact-packets"}) {
    CAPTURE(how);
    const Outcome alone = run_on(1, how);
    REQUIRE(alone.exit == 0);
    for (const int threads : {2, 3, 8}) {
      const Outcome several = run_on(threads, how);
      CAPTURE(several.err);
      CHECK(several.exit == 0);
      CHECK(results(several.out) == results(alone.out));
    }
    CHECK(results(run_on(2, std::string{how} + " --shuffle-ties 7").out) == results(alone.out));
  }
}

TEST_CASE("--num-threads: evaluations of packages that compute and reduce have the same rows" *
          doctest::skip(kbsim::test::kSanitized)) {
  for (const char* bench : {"ccl -b 64K -e 64K --set system.sips.count=4", "tp_mlp --ranks 2"}) {
    CAPTURE(bench);
    const auto rows = [&](int threads) {
      const Outcome outcome = run_kbsim(std::string{"--topology topology.yaml --quiet --json --bench "} +
                                        bench + " --num-threads " + std::to_string(threads));
      CHECK(outcome.exit == 0);
      return outcome.out.substr(outcome.out.find("\"rows\""));
    };
    const std::string alone = rows(1);
    for (const int threads : {2, 4, 8}) CHECK(rows(threads) == alone);
  }
}

TEST_CASE("--num-threads: launches on all packages have the same results; one package is one thread's") {
  const std::string bench = "--topology topology.yaml --bench qkv_gemm_multi_pe --race off ";
  const auto found = [&](int threads) {
    return results(
        run_kbsim(bench + "--device all --quiet --json --num-threads " + std::to_string(threads)).out);
  };
  const std::string alone = found(1);
  CHECK(alone.find("digest") != std::string::npos);
  CHECK(found(2) == alone);
  CHECK(found(3) == alone);
  CHECK(run_kbsim(bench + "--num-threads 2").err.find("runs on one package") != std::string::npos);
}

TEST_CASE("--num-threads: a run that one thread simulates says why") {
  const auto says = [](const std::string& more, const std::string& why) {
    const Outcome outcome = run_kbsim(kMainJob + " --num-threads 2 " + more);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(outcome.err.find("simulated by one thread: " + why) != std::string::npos);
  };
  says("", "data races are looked for");
  says("--race off --explain", "causes are kept");
  says("--race off --parallel-bound", "--parallel-bound watches");
  says("--race off --set ccl.defaults.credit=direct", "queues' ends meet beside the links");
  says("--race off --set system.ns_per_mm=0 --set system.components.switch.overhead_ns=0.5", "the link ");
  says("--race off --set system.sips.count=1", "the machine has one package");
  says("--race off --set sip.io.router.impl=builtin.router_vc --set system.host_link.length_mm=50",
       "the link ");
  const Outcome several = run_kbsim(kMainJob + " --num-threads 2 --race off");
  CHECK(several.err.find("one thread") == std::string::npos);
}

TEST_CASE("--num-threads: --bench llm has the same rows on one thread, and says why") {
  const std::string run = "--topology topology.yaml --bench llm --on pe --phase decode --context 8 ";
  const Outcome several = run_kbsim(run + "--num-threads 2");
  CAPTURE(several.err);
  CHECK(several.exit == 0);
  CHECK(several.err.find("simulated by one thread: bench llm looks into the machine while it runs\n") !=
        std::string::npos);
  const Outcome alone = run_kbsim(run + "--num-threads 1");
  CHECK(alone.err.find("one thread") == std::string::npos);
  CHECK(alone.out == several.out);
}

TEST_CASE("--num-threads: a plan's ranks map memory while they run, so one thread simulates it") {
  const Outcome outcome = run_script(
      "$KBSIM ccl export chunked_ring_allreduce --ranks 2 > p.xml; "
      "$KBSIM --topology topology.yaml --bench ccl_allreduce --algorithm p.xml --race off "
      "--num-threads 2");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(outcome.err.find("simulated by one thread: memory of a plan's ranks") != std::string::npos);
}

TEST_CASE("DMA: the allowed bytes are in flight, reserved ahead or not") {
  const std::string run =
      "--topology topology.yaml --bench qkv_gemm --json --quiet --set pe.pe_dma.request_bytes=8GiB "
      "--set pe.pe_dma.max_outstanding=2147483647 ";
  const Outcome ahead = run_kbsim(run);
  REQUIRE(ahead.exit == 0);
  CHECK(results(run_kbsim(run + "--exact-packets").out) == results(ahead.out));
}

TEST_CASE("--num-threads: what a run that fails says is the same on several threads") {
  const std::string stuck = "--race off --stop-at 2000";
  const Outcome alone = run_on(1, stuck);
  const Outcome several = run_on(2, stuck);
  CHECK(alone.exit == 4);
  CHECK(several.exit == 4);
  const std::string headline = "stopped at 2000 ns, the limit that was set; ";
  CHECK(alone.err.find(headline) != std::string::npos);
  CHECK(several.err.find(headline) != std::string::npos);
}

}  // namespace kbsim::contract::side_by_side_test
