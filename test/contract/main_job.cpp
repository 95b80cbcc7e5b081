#include <cmath>
#include <fstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::main_job_test {

using namespace kbsim::test;

namespace {

boost::json::object json_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(kMainJob + " --json " + arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return boost::json::parse(outcome.out).as_object();
}

std::string digest_of(const std::string& arguments) {
  return std::string{json_of(arguments).at("run").at("digest").as_string()};
}

}  // namespace

TEST_CASE("Main job: prints the checked result, the latency with its split, and what the run cost") {
  const Outcome outcome = run_kbsim(kMainJob);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("intercube_allreduce (ws=2): 32 OK") != std::string::npos);
  for (const char* part : {"latency", "dispatch", "kernel", "report"})
    CHECK(outcome.out.find(part) != std::string::npos);
  for (const char* part : {"simulated", "events", "s wall", "events/s", "peak memory"}) {
    CHECK(outcome.err.find(part) != std::string::npos);
  }
}

TEST_CASE("Main job: the split of the latency sums to it exactly") {
  const auto result = json_of("").at("result").as_object();
  const auto ps = [&](const char* key) { return std::llround(result.at(key).to_number<double>() * 1000.0); };
  CHECK(ps("dispatch_ns") + ps("kernel_ns") + ps("report_ns") == ps("latency_ns"));
}

TEST_CASE("Main job: two runs give the same JSON but for what the host measures") {
  auto first = json_of("");
  auto second = json_of("");
  first.at("run").as_object().erase("host");
  second.at("run").as_object().erase("host");
  CHECK(first == second);
}

TEST_CASE("Main job: this build's digest is the recorded one, so that all builds agree") {
  std::string recorded;
  std::ifstream{std::string{KBSIM_SOURCE_DIR} + "/test/golden/main_job.digest"} >> recorded;
  CHECK(digest_of("") == recorded);
}

TEST_CASE("Main job: another order of simultaneous events gives the same digest") {
  CHECK(digest_of("--shuffle-ties 1") == digest_of(""));
}

TEST_CASE("Main job: --verify-data prints a line for each tensor") {
  const Outcome outcome = run_kbsim(kMainJob + " --verify-data");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("ccl_in_r0 [16, 8] ok") != std::string::npos);
  CHECK(outcome.out.find("ccl_in_r1 [16, 8] ok") != std::string::npos);
}

TEST_CASE("Main job: --quiet and --json leave stdout pure JSON and stderr empty") {
  const Outcome outcome = run_kbsim(kMainJob + " --json --quiet");
  CHECK(outcome.exit == 0);
  CHECK(outcome.err.empty());
  CHECK_NOTHROW((void)boost::json::parse(outcome.out));
}

}  // namespace kbsim::contract::main_job_test
