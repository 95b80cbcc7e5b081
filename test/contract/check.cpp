// kbsim check: a folder's run again.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::check_test {

using namespace kbsim::test;

namespace {

// The folder that a command wrote.
std::string golden(const std::string& command) {
  const std::string folder = written("golden", "") + ".d";
  std::filesystem::remove_all(folder);
  const Outcome outcome = run_kbsim(command + " --quiet --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return folder;
}

// The same text with `from`, which must be there, replaced.
void change(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = contents(file);
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
  std::filesystem::remove(file);
  REQUIRE(written("golden.d/" + std::filesystem::path{file}.filename().string(), text) == file);
}

void check_same(const std::string& command) {
  const Outcome outcome = run_kbsim("check " + golden(command));
  CAPTURE(command);
  CAPTURE(outcome.out);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("\nall ") != std::string::npos);
  CHECK(outcome.out.ends_with(" results are what they were\n"));
}

void check_refused(const std::string& arguments, const std::string& says) {
  const Outcome outcome = run_kbsim("check " + arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("kbsim check: files that the run wrote beside its folder aren't written again there") {
  const std::filesystem::path place = fresh_place("check_beside");
  std::filesystem::create_directories(place);
  const std::string folder = golden(kMainJob + " --explain --trace " + (place / "t.json").string() +
                                    " --trace-dir=" + (place / "td").string() + " --chakra " +
                                    (place / "ch").string() + " --oplog=" + (place / "x.oplog").string());
  std::filesystem::remove_all(place);
  const Outcome outcome = run_kbsim("check " + folder);
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK_FALSE(std::filesystem::exists(place));
}

TEST_CASE(
    "kbsim check: a bench, an evaluation, traffic and a sweep are what they were, however they were asked") {
  check_same(kMainJob + " --set system.sips.count=4 --set ccl.defaults.n_slots=1 --verify-data --json");
  check_same(
      "run --bench=ccl_allreduce --topology=topology.yaml --algorithm ring_allreduce_hbm --timing-only");
  check_same(
      "--topology topology.yaml --bench ccl -b 1K -e 2K -f 2 --algorithm ring_all_gather -J /dev/null");
  check_same("traffic --topology topology.yaml --scope mesh:2x2 --load 0.3 --packets 200 --seed 3");
  check_same("traffic --topology topology.yaml --scope mesh:2x1 --sweep --packets 200 --warmup 50");
}

TEST_CASE("kbsim check: the machine is the one that ran, not what its file says now") {
  const std::string machine = changed_topology("link_bw_gbs: 256", "link_bw_gbs: 128");
  const std::string folder = golden("--topology " + machine + " --bench ccl_allreduce");
  std::filesystem::remove(machine);
  CHECK(run_kbsim("check " + folder).exit == 0);
}

TEST_CASE("kbsim check: a time, a digest or a check that isn't what it was is named, with exit code 7") {
  const std::string folder = golden(kMainJob);
  change(folder + "/summary.json", R"("simulated_ps":2811942)", R"("simulated_ps":2800000)");
  change(folder + "/run.json", R"("simulated_ps":2811942)", R"("simulated_ps":2800000)");
  const Outcome text = run_kbsim("check " + folder);
  CHECK(text.exit == 7);
  CHECK(text.out.find("2800000           2811942  +0.4265 %\n") != std::string::npos);
  CHECK(text.out.find("\n1 of ") != std::string::npos);
  CHECK(run_kbsim("check " + folder + " --tolerance 0.0042").exit == 7);
  const Outcome allowed = run_kbsim("check " + folder + " --tolerance 0.0043");
  CHECK(allowed.exit == 0);
  CHECK(allowed.out.find("+0.4265 %, allowed\n") != std::string::npos);

  change(folder + "/run.json", "21806a183ed53e2c", "21806a183ed53e2d");
  CHECK(run_kbsim("check " + folder + " --tolerance 0.01").exit == 0);
  const Outcome json = run_kbsim("check " + folder + " --json");
  CHECK(json.exit == 7);
  const boost::json::value all = boost::json::parse(json.out);
  CHECK(all.at("same") == false);
  CHECK(all.at("different") == 2);
  CHECK(all.at("differences").at(1).at("result") == "run.digest");
  CHECK(all.at("differences").at(1).at("was") == "21806a183ed53e2d");

  change(folder + "/summary.json", R"("correct":true)", R"("correct":null)");
  CHECK(run_kbsim("check " + folder + " --tolerance 1").exit == 7);
}

TEST_CASE(
    "kbsim check: the op log isn't written again, its checksums are compared; --out keeps the new results") {
  const std::string log = written("checked.oplog", "");
  const std::string folder = golden(kMainJob + " --oplog " + log);
  std::filesystem::remove(log);
  const std::string kept = written("kept", "") + ".d";
  CHECK(run_kbsim("check " + folder + " --out " + kept).exit == 0);
  CHECK(!std::filesystem::exists(log));
  CHECK(contents(kept + "/summary.json").find("values_digest") != std::string::npos);
  const std::string summary = contents(folder + "/summary.json");
  const std::size_t at = summary.find("values_digest");
  const std::string values = summary.substr(at, sizeof "values_digest\":\"0123456789abcdef" - 1);
  change(folder + "/summary.json", values, "values_digest\":\"0123456789abcdef");
  CHECK(run_kbsim("check " + folder).exit == 7);
}

TEST_CASE("kbsim check: a signal ends the run again, too") {
  const std::string folder =
      golden("traffic --topology topology.yaml --scope mesh:8x8 --load 0.5 --packets 200000");
  const Outcome outcome = run_script("$KBSIM check " + folder +
                                     " & pid=$!; tries=0; until pgrep -P $pid >/dev/null || [ $((tries += "
                                     "1)) -gt 500 ]; do sleep 0.01; done;"
                                     " kill -TERM $pid; wait $pid");
  CHECK(outcome.exit == 143);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.ends_with("kbsim: interrupted: the run again hasn't ended\n"));
}

TEST_CASE("kbsim check: files that no run wrote are refused, and the end of the repeated run is reported") {
  check_refused("/none", "/none: no such folder, expected what a run wrote with --out");
  check_refused("", "DIR is missing; usage: kbsim check DIR [options]");
  const std::string folder = golden(kMainJob);
  check_refused(folder + " --tolerance -1", "--tolerance must be a number from 0 on, got -1");
  check_refused(folder + " --tolerance nan", "--tolerance must be a number from 0 on");
  check_refused(folder + " --out " + folder, "holds the results to check");
  change(folder + "/run.json", R"("run","--topology")", R"("run","--topologie")");
  check_refused(folder, "unknown option '--topologie'");
  change(folder + "/run.json", R"("command":["kbsim","run")",
         R"("interrupted":true,"command":["kbsim","run")");
  check_refused(folder, "was interrupted");
  change(folder + "/run.json", R"("command":["kbsim","run")", R"("command":["kbsim","list")");
  check_refused(folder, "names no command of kbsim run, traffic or fit");
  change(folder + "/run.json", "{", "[");
  check_refused(folder, "isn't what a run wrote");
}

}  // namespace kbsim::contract::check_test
