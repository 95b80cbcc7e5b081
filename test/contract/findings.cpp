// Findings by the command, on runs whose flaw is known.
#include <algorithm>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::findings_test {

using namespace kbsim::test;
namespace json = boost::json;

namespace {

const std::string kRingKernel = "ccl.algorithms.ring_allreduce_tcm.";

std::string with(const std::string& key, const std::string& value) {
  return fmt::format(" --set {}{}={}", kRingKernel, key, value);
}

// An all-reduce of four packages whose ranks may have extra vector operations before it.
std::string uneven(int slow_rank, int extra, bool slope = false) {
  return "--topology topology.yaml --bench ccl_allreduce --algorithm ring_allreduce_tcm --set "
         "system.sips.count=4"
         " --plugin " KBSIM_BINARY "/contract/plugins/plugin_straggles.so" +
         with("kernel", "straggles") + with("n_elem", "64") + with("slow_rank", std::to_string(slow_rank)) +
         with("extra", std::to_string(extra)) + with("slope", slope ? "true" : "false");
}

json::object explained(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --explain --json --quiet");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return json::parse(outcome.out).at("explain").as_object();
}

// The finding of this id; an empty object if there is none.
json::object finding(const json::object& document, const std::string& id) {
  for (const json::value& one : document.at("findings").as_array()) {
    if (one.at("id").as_string() == id) return one.as_object();
  }
  return {};
}

std::string evidence(const json::object& found) {
  return found.empty() ? "" : std::string{found.at("evidence").as_string()};
}

std::int64_t gain_ps(const json::object& found) {
  return found.empty() ? 0 : found.at("gain_ps").to_number<std::int64_t>();
}

}  // namespace

// A vector operation on 64 elements takes 4 ns and one cycle of 1 ns.
TEST_CASE("Findings: a straggler is named, with its extra work to the picosecond, before the advice") {
  const std::string run = uneven(2, 200);
  const json::object document = explained(run);
  const json::object first = document.at("findings").at(0).as_object();
  CHECK(first.at("id").as_string() == "straggler");
  CHECK(gain_ps(first) == 200 * 5000);
  CHECK(first.at("place").as_string() == "sip2");
  CHECK(first.at("key").is_null());
  CHECK(evidence(first) ==
        "rank 2 computes 1030 ns, the other 3 30 ns on average; the path has 1016 ns of its "
        "engines and dispatch");
  const Outcome text = run_kbsim(run + " --explain --quiet");
  CHECK(text.out.find("  found  load imbalance: one rank has more work") < text.out.find("\n  try  "));
}

TEST_CASE("Findings: of ranks with 0, 1, 2 and 3 parts of work, the last is named against the others' mean") {
  const json::object found = finding(explained(uneven(0, 200, true)), "straggler");
  CHECK(gain_ps(found) == 2 * 200 * 5000);
  CHECK(evidence(found).starts_with("rank 3 computes 3030 ns, the other 3 1030 ns on average; "));
}

TEST_CASE("Findings: equal ranks have no straggler and none that is late") {
  const json::object document = explained(uneven(2, 0));
  CHECK(finding(document, "straggler").empty());
  CHECK(finding(document, "late_rank").empty());
}

TEST_CASE("Findings: an MLP divided over packages has exposed communication; on one package it has none") {
  const std::string run = "--topology topology.yaml --bench tp_mlp --of row:";
  const json::object found = finding(explained(run + "3"), "exposed_communication");
  CHECK_MESSAGE(evidence(found).find("for messages of peers") != std::string::npos, evidence(found));
  CHECK(gain_ps(found) > 0);
  CHECK(found.at("place").as_string().find("pe_ipcq") != json::string::npos);
  CHECK(finding(explained(run + "1"), "exposed_communication").empty());
}

// A tile has 32 rows: with batch 1, 31 of 32 MACs are padding. The product takes 8 x 4 tiles of 1024 ns.
TEST_CASE("Findings: with one row, 31 of 32 parts of the matrix engine's time are padding") {
  const std::string run =
      "--topology topology.yaml --bench gemm --n 256 --k 256 --of row:1"
      " --set pe.pe_gemm.macs_per_ns=64 --m ";
  const json::object found = finding(explained(run + "1"), "tile_padding");
  CHECK(gain_ps(found) == 8 * 4 * 1'024'000 / 32 * 31);
  CHECK(evidence(found).starts_with("65536 MACs are asked for and 2097152 done, 32.0 times as many"));
  CHECK(finding(explained(run + "32"), "tile_padding").empty());
}

TEST_CASE("Findings: slots that hold a ring are a credit stall, with the simulated gain of more") {
  const json::object document = explained(
      "--topology topology.yaml --bench ccl --algorithm pipelined_ring_allreduce -c 0 -b 256K -e 256K --of "
      "row:1"
      " --set ccl.algorithms.pipelined_ring_allreduce.n_slots=1");
  const json::object found = finding(document, "credit_stall");
  const json::value& first = document.at("try").at(0);
  REQUIRE(!found.empty());
  CHECK(found.at("key") == first.at("key"));
  CHECK(found.at("simulated").as_bool());
  CHECK(gain_ps(found) >= first.at("gain_ps").to_number<std::int64_t>());
}

TEST_CASE("Findings: refreshes on the path gain their time, to the picosecond") {
  const json::object document =
      explained("--topology hbm3.yaml --bench gemm --m 64 --n 256 --k 256 --check 0 --of row:1 --no-try");
  std::int64_t refreshes = 0;
  for (const json::value& reason : document.at("paths").at(0).at("reasons").as_array()) {
    if (reason.at("name").as_string() == "refresh") refreshes += reason.at("ps").to_number<std::int64_t>();
  }
  CHECK(refreshes > 0);
  CHECK(gain_ps(finding(document, "hbm_refresh")) == refreshes);
}

TEST_CASE("Findings: a deadlock has its cycle in place of findings") {
  const std::string folder = fresh_place("findings_of_a_deadlock").string();
  const Outcome outcome = run_kbsim("explain " + kMainJob + " --quiet --out " + folder +
                                    " --plugin " KBSIM_BINARY
                                    "/contract/plugins/plugin_stuck.so"
                                    " --set ccl.algorithms.intercube_allreduce.kernel=stuck");
  CHECK(outcome.exit == 8);
  CHECK(outcome.err.find("sip0.cube0.pe0") != std::string::npos);
  CHECK(contents(folder + "/deadlock.json").find("\"cycle") != std::string::npos);
}

TEST_CASE("Findings: a folder's explain.json has them, also without trials") {
  const std::string folder = fresh_place("findings_of_a_folder").string();
  REQUIRE(run_kbsim(uneven(1, 400) + " --no-try --quiet --out " + folder).exit == 0);
  const json::object document = json::parse(contents(folder + "/explain.json")).as_object();
  CHECK(gain_ps(finding(document, "straggler")) == 400 * 5000);
  CHECK(!document.contains("try"));
}

}  // namespace kbsim::contract::findings_test
