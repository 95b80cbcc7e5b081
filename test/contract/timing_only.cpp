// --timing-only, as a user types it: the same times, and no verdict.
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::timing_only_test {

using namespace kbsim::test;

namespace {

boost::json::object run_json(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return boost::json::parse(outcome.out).as_object();
}

// The result of a bench without the fields that need values.
boost::json::object measured(const boost::json::object& run) {
  boost::json::object result = run.at("result").as_object();
  result.erase("rows_ok");
  result.erase("pes_ok");
  result["simulated_ps"] = run.at("run").at("simulated_ps");
  return result;
}

std::string job(const std::string& bench) { return "--topology topology.yaml --bench " + bench; }

void check_usage_error(const std::string& other) {
  const Outcome outcome = run_kbsim(kMainJob + " --timing-only " + other);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("--timing-only and " + other.substr(0, other.find(' '))) != std::string::npos);
}

}  // namespace

TEST_CASE("--timing-only: simulated times and all that a bench measures are those of a full run") {
  for (const std::string bench : {"ccl_allreduce", "gemm_single_pe", "qkv_gemm", "va_offset_verify"}) {
    CAPTURE(bench);
    const boost::json::object full = run_json(job(bench));
    const boost::json::object timed = run_json(job(bench) + " --timing-only");
    CHECK(measured(timed) == measured(full));
    CHECK(full.at("checked").as_bool());
    CHECK(full.at("correct").as_bool());
    CHECK_FALSE(timed.at("checked").as_bool());
    CHECK(timed.at("correct").is_null());
  }
}

TEST_CASE("--timing-only: the text says that nothing was checked, and calls nothing right") {
  const Outcome outcome = run_kbsim(kMainJob + " --timing-only");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("not checked (--timing-only)") != std::string::npos);
  CHECK(outcome.out.find("OK") == std::string::npos);
}

TEST_CASE("--timing-only: equal runs have equal digests, whatever the order of simultaneous events") {
  const auto digest = [](const std::string& more) {
    return run_json(kMainJob + " --timing-only" + more).at("run").at("digest").as_string();
  };
  const auto usual = digest("");
  CHECK(digest(" --shuffle-ties 5") == usual);
  CHECK(digest(" --set system.sips.count=4") != usual);
}

TEST_CASE("--timing-only: what needs values is refused beside it") {
  check_usage_error("--oplog " + written("timing.oplog", ""));
  check_usage_error("--verify-data");
  check_usage_error("--race error");
  CHECK(run_kbsim(kMainJob + " --timing-only --race off").exit == 0);
  CHECK(run_kbsim(job("ccl") + " --timing-only").exit == 5);
}

TEST_CASE("--timing-only: rows of an evaluation have the times of those with values, and no verdict") {
  const std::string gemm = job("gemm") + " --quiet --m 32 --n 32 --k 64 --on cube";
  boost::json::object full = run_json(gemm).at("rows").at(0).as_object();
  boost::json::object timed = run_json(gemm + " --timing-only").at("rows").at(0).as_object();
  CHECK(full.at("correct").as_bool());
  full["correct"] = nullptr;
  for (boost::json::object* row : {&full, &timed}) row->erase("simulated_ns");  // with the way back of values
  CHECK(timed == full);
  CHECK(run_kbsim(gemm + " --timing-only --check 1").exit == 2);
}

}  // namespace kbsim::contract::timing_only_test
