// kbsim fit as a user types it: which parts of the traces enter the fit.
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"

namespace kbsim::contract::noc_fit_test {

using namespace kbsim::test;

namespace {

constexpr const char* kFitted = "far.json";   // FNV-1a: even
constexpr const char* kJudged = "near.json";  // odd

std::string noc_event(const std::string& type, int cycle, const std::string& more) {
  return fmt::format(R"({{"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"type":"{}","timestamp":{},{}}})", type,
                     cycle, more);
}

// A core reads from a DRAM node and from a worker, each followed by a barrier.
std::string noc_trace(int first_takes, int second_takes) {
  const std::string none = R"("num_bytes":0)";
  std::string text = "[" + noc_event("READ", 100, R"("dx":0,"dy":5,"num_bytes":4096)");
  text += "," + noc_event("READ_BARRIER_START", 110, none);
  text += "," + noc_event("READ_BARRIER_END", 100 + first_takes, none);
  text += "," + noc_event("READ", 2000, R"("dx":4,"dy":4,"num_bytes":512)");
  text += "," + noc_event("READ_BARRIER_START", 2010, none);
  return text + "," + noc_event("READ_BARRIER_END", 2000 + second_takes, none) + "]";
}

struct Fit {
  std::string constants;
  std::string judged;
};

Fit fit_of(const std::string& fitted_trace, const std::string& judged_trace) {
  const std::string fitted = written(kFitted, fitted_trace);
  const std::string judged = written(kJudged, judged_trace);
  const Outcome outcome =
      run_kbsim("fit --json --quiet --rounds 3 --trace '" + fitted + "' --trace '" + judged + "'");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::object result = boost::json::parse(outcome.out).as_object();
  const boost::json::value& calibrated = result.at("result").at("calibrated open");
  CHECK(calibrated.at("fitted").at("barriers") == 2);
  CHECK(calibrated.at("judged").at("barriers") == 2);
  for (const char* column : {"uncalibrated open", "uncalibrated closed", "calibrated closed"})
    CHECK(result.at("result").at(column).at("judged").at("barriers") == 2);
  return {.constants = boost::json::serialize(result.at("constants")),
          .judged = boost::json::serialize(calibrated.at("judged"))};
}

}  // namespace

TEST_CASE("NOC fit: stamps of the judged half change no constant, those of the fitted half do") {
  const Fit fit = fit_of(noc_trace(500, 300), noc_trace(400, 250));
  const Fit judged_later = fit_of(noc_trace(500, 300), noc_trace(900, 700));
  CHECK(judged_later.constants == fit.constants);
  CHECK(judged_later.judged != fit.judged);  // it was read
  const Fit fitted_later = fit_of(noc_trace(900, 700), noc_trace(400, 250));
  CHECK(fitted_later.constants != fit.constants);
}

TEST_CASE("NOC fit: --out has run.json and a page, and kbsim check fits again, with what --set holds") {
  const std::string traces = "--trace '" + written(kFitted, noc_trace(500, 300)) + "' --trace '" +
                             written(kJudged, noc_trace(400, 250));
  const Outcome outcome = run_script(
      "for held in '' '--set hop_ns=12'; do "
      "$KBSIM fit --quiet --rounds 1 $held " +
      traces +
      "' --out found >/dev/null && test ! -e found/PARTIAL && "
      "test -s found/report.html && $KBSIM check found | tail -n 1; "
      "grep -c '^hop_ns: 12' found/config.resolved.yaml; done");
  CHECK_MESSAGE(outcome.err.empty(), outcome.err);
  const std::size_t held = outcome.out.find("\n0\n");  // after the first run, which holds nothing
  REQUIRE_MESSAGE(held != std::string::npos, outcome.out);
  CHECK(outcome.out.find("results are what they were") < held);
  CHECK(outcome.out.find("results are what they were", held) != std::string::npos);
  CHECK(outcome.out.ends_with("\n1\n"));
}

TEST_CASE("Recorded traffic: --out has a row a barrier, and a summary that says how much was under way") {
  const std::string trace = written(kJudged, "\xef\xbb\xbf" + noc_trace(400, 250));
  const Outcome outcome =
      run_script("$KBSIM traffic --json --trace '" + trace +
                 "' --out barriers && wc -l < barriers/barriers.csv && test -s barriers/summary.json && "
                 "test ! -e barriers/PARTIAL");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.out.find("\"most_live\":2") != std::string::npos);  // a read and its barrier
  CHECK(outcome.out.ends_with("\n5\n"));                            // a head, two barriers in each loop
  CHECK(outcome.err.find("no valid points") == std::string::npos);  // gnuplot's, of a half without traces
}

TEST_CASE("Recorded traffic: a row that can't be written is reported by its file") {
  const std::string trace = written(kJudged, noc_trace(400, 250));
  const Outcome outcome =
      run_script("mkdir -p full/barriers.csv; $KBSIM traffic --trace '" + trace + "' --out full");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("can't write 'full/barriers.csv'") != std::string::npos);
}

}  // namespace kbsim::contract::noc_fit_test
