// Advice by the command: the change that helps most is the first, and gains as much as it says.
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::advice_test {

using namespace kbsim::test;
namespace json = boost::json;

namespace {

std::string ring_of(const std::string& sizes) {
  return "--topology topology.yaml --bench ccl --algorithm pipelined_ring_allreduce -c 0 " + sizes +
         " --set ccl.algorithms.pipelined_ring_allreduce.n_slots=4";
}
const std::string kRing = ring_of("-b 1M -e 1M");
const std::string kSlots = "ccl.algorithms.pipelined_ring_allreduce.n_slots";

json::object json_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --json --quiet");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return json::parse(outcome.out).as_object();
}

json::array advice_of(const std::string& arguments) {
  json::object explained = json_of(arguments).at("explain").as_object();
  const json::value* const found = explained.if_contains("try");
  return found == nullptr ? json::array{} : found->as_array();
}

double time_of_row(const std::string& arguments) {
  return json_of(arguments).at("rows").at(0).at("time").to_number<double>();
}

struct Planted {
  std::string run;
  std::string limit;  // a setting that makes this key the limit
  std::string key;    // of the first advice, its beginning
};

}  // namespace

TEST_CASE("Advice: where slots govern, more slots are the first advice, with their simulated gain") {
  const json::array all = advice_of(kRing + " --explain --of row:1");
  REQUIRE(!all.empty());
  const json::object& first = all.front().as_object();
  CHECK(first.at("key").as_string() == kSlots);
  CHECK(first.at("to").to_number<int>() == 16);
  CHECK(first.at("simulated").as_bool());
  const double before = time_of_row(kRing);
  const double after = time_of_row(kRing + " --set " + kSlots + "=16");
  CHECK(first.at("share").to_number<double>() == doctest::Approx(1.0 - after / before).epsilon(1e-9));
  CHECK(first.at("share").to_number<double>() > 0.4);
  const std::string command{first.at("command").as_string()};
  CHECK(command.find("--set " + kSlots + "=16") != std::string::npos);
  CHECK(command.find(kSlots) == command.rfind(kSlots));  // in place of the run's own value
}

TEST_CASE("Advice: the limit with its place and line, then the changes, stand at the top of the text") {
  const Outcome outcome = run_kbsim(kRing + " --explain --of row:1 --quiet");
  REQUIRE(outcome.exit == 0);
  const std::size_t limit = outcome.out.find("  limited by  a free slot of the peer");
  const std::size_t change = outcome.out.find("\n  try  " + kSlots + "=16");
  const std::size_t list = outcome.out.find("\n  by reason");
  CHECK(limit < change);
  CHECK(change < list);
  CHECK(list != std::string::npos);
  CHECK(outcome.out.find("what may help") == std::string::npos);
}

TEST_CASE("Advice: a limit that is planted is the first advice" * doctest::skip(kSanitized)) {
  const std::string gemm = "--topology topology.yaml --bench gemm_single_pe";
  const std::string ring =
      "--topology topology.yaml --bench ccl --algorithm chunked_ring_allreduce -c 0 -b 256K -e 256K";
  for (const Planted& planted :
       {Planted{"--topology topology.yaml --bench va_offset_verify", "cube.xbar_to_hbm_bw_gbs=1",
                "cube.xbar_to_hbm_bw_gbs"},
        Planted{gemm, "pe.pe_gemm.macs_per_ns=16", "pe.pe_gemm.macs_per_ns"},
        Planted{ring, "system.sips.link.bw_gbs=1", "system.sips.link.bw_gbs"},
        Planted{ring, "pe.pe_cpu.dispatch_cycles=2000", "pe.pe_cpu.dispatch_cycles"}}) {
    CAPTURE(planted.limit);
    const bool rows = planted.run == ring;
    const json::array all =
        advice_of(planted.run + " --set " + planted.limit + " --explain" + (rows ? " --of row:1" : ""));
    REQUIRE(!all.empty());
    CHECK_MESSAGE(std::string{all.front().at("key").as_string()}.starts_with(planted.key),
                  json::serialize(all));
  }
}

TEST_CASE("Advice: --no-try simulates nothing, and has no effect without an explanation") {
  CHECK(advice_of(kRing + " --explain --of row:1 --no-try").empty());
  const Outcome outcome = run_kbsim(kRing + " --no-try");
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("--no-try has no effect without --explain or --out") != std::string::npos);
}

TEST_CASE("Advice: a machine from a pipe is read once, and its changes are estimated") {
  const std::string folder = fresh_place("advice_of_a_pipe").string();
  for (const std::string& run : {std::string{"--bench ccl_allreduce --explain"},
                                 "--bench ccl --algorithm hello_send -b 8 -e 8 -c 0 --out " + folder}) {
    CAPTURE(run);
    const Outcome outcome = run_script(
        "cat " KBSIM_SOURCE_DIR "/configs/topology.yaml | $KBSIM --topology /dev/stdin " + run + " --quiet");
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    CHECK(outcome.out.find(" less, simulated") == std::string::npos);
  }
  const json::object explained = json::parse(contents(folder + "/explain.json")).as_object();
  CHECK(!explained.at("try").at(0).at("simulated").as_bool());
}

TEST_CASE("Advice: a kernel's prints are those of the run itself") {
  const Outcome outcome = run_kbsim(kMainJob + " --explain --quiet --plugin " KBSIM_BINARY
                                               "/contract/plugins/plugin_tells.so"
                                               " --set ccl.algorithms.intercube_allreduce.kernel=prints");
  CHECK(outcome.exit == 7);
  const std::size_t print = outcome.err.find("] once i32 [3]: 0 1 2");
  REQUIRE(print != std::string::npos);
  CHECK(outcome.err.find("] once", print + 1) == std::string::npos);
}

TEST_CASE("Advice: the page shows the command of a change") {
  if (!has_chromium()) return;
  const std::string folder = fresh_place("advice_page").string();
  REQUIRE(run_kbsim(kRing + " --out " + folder + " --quiet").exit == 0);
  const std::string shown = printed_by(contents(folder + "/report.html"),
                                       "document.querySelector('#try button').click();"
                                       "told = document.querySelector('#try code').textContent");
  const json::value first = json::parse(contents(folder + "/explain.json")).at("try").at(0);
  CHECK(shown == first.at("command").as_string().c_str());
}

TEST_CASE("Advice: an evaluation's folder has the path of its last row, each row's limit, and the advice") {
  const std::string folder = fresh_place("advice_of_rows").string();
  const Outcome outcome = run_kbsim(ring_of("-b 64K -e 1M -f 4") + " --out " + folder + " --quiet");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const json::object explained = json::parse(contents(folder + "/explain.json")).as_object();
  const json::object summary = json::parse(contents(folder + "/summary.json")).as_object();
  const std::size_t rows = summary.at("rows").as_array().size();
  CHECK(rows > 1);
  CHECK(explained.at("row").to_number<std::size_t>() == rows);
  CHECK(explained.at("limits").as_array().size() == rows);
  CHECK(explained.at("try").at(0).at("key").as_string() == kSlots);
  CHECK(!summary.at("rows").at(0).as_object().contains("limited_by"));
}

}  // namespace kbsim::contract::advice_test
