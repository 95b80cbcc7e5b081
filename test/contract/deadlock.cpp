// Outputs of a deadlocked run, and KBSIM_CCL_TRACE.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::deadlock_test {

using namespace kbsim::test;

namespace {

std::string options_of(const std::string& kernel) {
  return "--plugin " KBSIM_BINARY
         "/contract/plugins/plugin_stuck.so --set ccl.algorithms.intercube_allreduce.kernel=" +
         kernel + " ";
}

const std::string kStuck = kMainJob + " " + options_of("stuck");

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string traced(const std::string& options) {
  return run_script("KBSIM_CCL_TRACE=1 $KBSIM " + kMainJob + " --quiet " + options).err;
}

}  // namespace

TEST_CASE(
    "Deadlock: verbose has the circle in words, all other waits, and the counters; the exit code is 8") {
  const Outcome outcome = run_kbsim(kStuck + "--verbose");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 8);
  for (const char* part : {"stuck on sip0.cube0.pe0 waits for event recv E since ", " at stuck.cpp:",
                           "\ncycle:\n  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued\n"
                           "  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued\n",
                           "\nother waits:\n  sip1.cube1.pe0 recv W ← sip1.cube0.pe0 send E: never issued, "
                           "and no kernel runs there\n",
                           "\n  sip0.cube0.pe0 E with sip0.cube1.pe0 W: slots 4 my_head 0 peer_tail 0 "
                           "peer_head 0 taken 0 my_tail 0 "
                           "sends_waiting 0 recvs_waiting 1\n"})
    CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, part);
  CHECK(run_kbsim(kStuck + "--verbose --shuffle-ties 3").err == outcome.err);
}

TEST_CASE("Deadlock: stderr has the circle and its members' lines, and how many wait besides") {
  const Outcome outcome = run_kbsim(kStuck);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 8);
  const std::vector<std::string> lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 9);
  CHECK(lines[0].ends_with("ns: nothing is left to happen, and 8 processes wait"));
  CHECK(lines[1] == "cycle:");
  CHECK(lines[2] == "  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued");
  CHECK(lines[3] == "  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued");
  CHECK(lines[4].starts_with("  stuck on sip0.cube0.pe0 waits for event recv E since "));
  CHECK(lines[5].starts_with("  stuck on sip0.cube1.pe0 waits for event recv W since "));
  CHECK(lines[6] == "host programs:");
  CHECK(lines[7].starts_with("  rank 0 waits for event all_reduce #0 of rank 0 since "));
  CHECK(lines[7].find(" at ccl_allreduce.cpp:") != std::string::npos);
  CHECK(lines[7].ends_with("; 1 more there"));
  CHECK(lines[8] == "4 more wait: --verbose shows them and the queues");
  CHECK(run_kbsim(kStuck + "--shuffle-ties 3").err == outcome.err);
}

TEST_CASE("Deadlock: two circles of one run are reported one by one") {
  const std::string folder = written("deadlock-two", "") + ".d";
  const Outcome outcome = run_kbsim(options_of("two_circles") + kMainJob + " --out " + folder);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 8);
  for (const char* part :
       {"\ncycle 1 of 2:\n  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued\n",
        "\ncycle 2 of 2:\n  sip1.cube0.pe0 recv E ← sip1.cube1.pe0 send W: never issued\n"})
    CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, part);
  CHECK(boost::json::parse(contents(folder + "/deadlock.json")).at("cycles").as_array().size() == 2);
}

TEST_CASE("Deadlock: of an evaluation each simulation's is kept, and the other rows survive") {
  const std::string folder = written("deadlock-ccl", "") + ".d";
  const std::string bench = "--topology topology.yaml --bench ccl -b 1K -e 16K -f 4 -c 0 --out " + folder;
  const Outcome outcome = run_kbsim(options_of("stuck_if_large") + bench);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 8);
  CHECK(outcome.err.find("kbsim: 4 KiB of intercube_allreduce: deadlock at ") != std::string::npos);
  CHECK(outcome.err.find("\n2 of 3 simulations are deadlocked; this is the first; " + folder +
                         "/deadlock.json has a report of each") != std::string::npos);
  CHECK(outcome.out.find("\n deadlocks: 2 without a row\n") != std::string::npos);
  const auto json = boost::json::parse(contents(folder + "/deadlock.json")).as_object();
  const auto& all = json.at("deadlocks").as_array();
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("simulation") == "4 KiB of intercube_allreduce");
  CHECK(all[1].at("simulation") == "16 KiB of intercube_allreduce");
  for (const auto& one : all) CHECK(one.at("cycles").as_array().size() == 2);
  const auto summary = boost::json::parse(contents(folder + "/summary.json")).as_object();
  CHECK(summary.at("rows").as_array().size() == 1);
  CHECK(summary.at("deadlocks") == 2);
  CHECK(summary.at("interrupted") == true);
  CHECK(lines_of(contents(folder + "/results.csv")).size() == 2);
  CHECK(boost::json::parse(contents(folder + "/explain.json")).at("row") == 1);
  CHECK(boost::json::parse(contents(folder + "/explain.json")).at("limits").as_array().size() == 1);
  CHECK(std::filesystem::exists(folder + "/rows/1/spans.json"));
  CHECK(!std::filesystem::exists(folder + "/rows/2"));
  CHECK(run_kbsim(options_of("stuck_if_large") + bench + " --reuse").exit == 2);
  CHECK(run_kbsim("--topology topology.yaml --bench ccl -b 1K -e 1K -c 0 --out " + folder).exit == 0);
  CHECK(!std::filesystem::exists(folder + "/deadlock.json"));
}

TEST_CASE("Deadlock: --out has it as JSON and as a drawing") {
  const std::string folder = written("deadlock-out", "") + ".d";
  CHECK(run_kbsim(kStuck + "--out " + folder).exit == 8);
  const auto json = boost::json::parse(contents(folder + "/deadlock.json")).as_object();
  std::vector<std::string> whys;
  for (const auto& wait : json.at("waits").as_array()) whys.emplace_back(wait.at("why").as_string());
  CHECK(json.at("cycle").as_array().size() == 2);
  CHECK(json.at("waits").as_array().size() == 10);
  for (const char* why :
       {"sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued",
        "sip1.cube1.pe0 recv W ← sip1.cube0.pe0 send E: never issued, and no kernel runs there",
        "all_reduce #0 of rank 0 launch of stuck ← sip0.cube0.pe0: has not returned",
        "rank 0 ← all_reduce #0 of rank 0: has not ended", "bench ccl_allreduce ← rank 0: has not ended"})
    CHECK_MESSAGE(std::ranges::count(whys, why) == 1, std::string{why});
  CHECK(json.at("nodes").as_array().size() == 9);
  CHECK(json.at("waiting").as_array().size() >= 3);
  CHECK(contents(folder + "/deadlock.dot").starts_with("digraph deadlock {\n"));
}

TEST_CASE(
    "Deadlock: a signal that never comes is reported with its tensor, the same by any number of threads") {
  const std::string folder = written("deadlock-signal", "") + ".d";
  const std::string job = kMainJob + " " + options_of("unsignalled") + "--race off ";
  const Outcome outcome = run_kbsim(job + "--num-threads 1 --out " + folder);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 8);
  const std::string why = " for -1 ← no PE is known: no put to it is under way";
  CHECK(outcome.err.find(why + "; it is in tensor 'ccl_in_r1', f16 [16, 8], of ccl_allreduce.cpp:") !=
        std::string::npos);
  const auto json = boost::json::parse(contents(folder + "/deadlock.json")).as_object();
  const auto& waits = json.at("waits").as_array();
  const auto signal = std::ranges::find_if(waits, [](const auto& wait) { return wait.at("to").is_null(); });
  REQUIRE(signal != waits.end());
  CHECK(signal->at("why").as_string().ends_with(why));
  CHECK(signal->at("in").as_string().starts_with("tensor 'ccl_in_r1', f16 [16, 8], of ccl_allreduce.cpp:"));
  CHECK(contents(folder + "/deadlock.dot").find("; it is in tensor ") != std::string::npos);
  const std::string one = run_kbsim(job + "--num-threads 1").err;
  for (const char* other : {"--num-threads 2", "--num-threads 3", "--num-threads 1 --shuffle-ties 3"}) {
    CAPTURE(other);
    CHECK(run_kbsim(job + other).err == one);
    const Outcome limited = run_kbsim(job + other + " --max-sim-time 2000");
    CHECK(limited.exit == 4);
    CHECK(limited.err.find(why) == std::string::npos);  // a run that is stopped isn't a deadlock
  }
}

TEST_CASE("KBSIM_CCL_TRACE: a line for each send and recv, in the order of time, whatever that of events") {
  const std::string trace = traced("");
  const std::vector<std::string> lines = lines_of(trace);
  std::size_t sends = 0;
  double last = 0.0;
  for (const std::string& line : lines) {
    const double time = std::stod(line);
    CHECK(time >= last);
    last = time;
    sends += line.find(" send ") != std::string::npos ? 1 : 0;
  }
  CHECK(sends > 0);
  CHECK(2 * sends == lines.size());
  CHECK(lines.front().ends_with(" 16 B #0"));
  CHECK(traced("--shuffle-ties 5") == trace);
  CHECK(run_kbsim(kMainJob + " --quiet").err.empty());
}

}  // namespace kbsim::contract::deadlock_test
