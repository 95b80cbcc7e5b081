// Why a run takes as long as it does, by the command.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::explain_test {

using namespace kbsim::test;
namespace json = boost::json;

namespace {

json::object json_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return json::parse(outcome.out).as_object();
}

// Picoseconds of the path (of the run, or of its first launch) per picosecond of a latency.
double count(const json::object& run, std::size_t path, const std::string& key) {
  for (const json::value& row : run.at("explain").at("paths").at(path).at("keys").as_array()) {
    if (row.at("key").as_string() == std::string_view{key}) return row.at("count").to_number<double>();
  }
  return 0.0;
}

std::int64_t sum(const json::value& rows) {
  std::int64_t all = 0;
  for (const json::value& row : rows.as_array()) all += row.at("ps").to_number<std::int64_t>();
  return all;
}

}  // namespace

TEST_CASE("--explain: the default all-reduce, by the ports of its dies") {
  const json::object run = json_of(kMainJob + " --explain --json --quiet");
  CHECK(count(run, 0, "sip.ucie.overhead_ns") == 178);
  CHECK(count(run, 1, "sip.ucie.overhead_ns") == 46);
  const json::value& ucie = run.at("explain").at("paths").at(0).at("keys").at(0);
  CHECK(ucie.at("slope_less_ns") == 178.0);
  CHECK(ucie.at("slope_more_ns") == 178.0);
  CHECK(ucie.at("range").at(1).to_number<double>() >= 16.0);
  const json::value& path = run.at("explain").at("paths").at(0);
  CHECK(path.at("length_ps") == run.at("run").at("simulated_ps"));
  for (const char* list : {"reasons", "kinds", "places"})
    CHECK(sum(path.at(list)) == path.at("length_ps").to_number<std::int64_t>());
  const json::object plain = json_of(kMainJob + " --json --quiet");
  CHECK(run.at("run").at("digest") == plain.at("run").at("digest"));
  CHECK(run.at("result") == plain.at("result"));
  CHECK(!plain.contains("explain"));
}

TEST_CASE("--explain: a GEMM of one PE waits for its HBM slice" * doctest::skip(kbsim::test::kSanitized)) {
  const json::object run =
      json_of("--topology topology.yaml --bench gemm_single_pe --explain --json --quiet");
  CHECK(count(run, 0, "cube.hbm_ctrl.access_ns") == 5);
  CHECK(count(run, 0, "cube.noc.router.overhead_ns") == 98);
  const json::value& launch = run.at("explain").at("paths").at(1);
  CHECK(launch.at("reasons").at(0).at("name") == "busy memory port");
  CHECK(launch.at("places").at(0).at("name") == "sip0.cube0.hbm0");
  CHECK(launch.at("keys").at(0).at("key") == "cube.xbar_to_hbm_bw_gbs");
}

TEST_CASE("--explain: a key without a unit has its value, and no blank after it") {
  const Outcome run = run_kbsim("explain --bench gemm_single_pe --timing-only");
  CHECK(run.exit == 0);
  CAPTURE(run.out + run.err);
  CHECK(unwrapped(run.out).find("at 0.8; holds from 0.25") != std::string::npos);
}

// A pipeline's path names its slowest stage, and the engine's key.
TEST_CASE("--explain: a GEMM whose array is slow waits for it" * doctest::skip(kbsim::test::kSanitized)) {
  const json::object run = json_of(
      "--topology topology.yaml --bench gemm_single_pe --set pe.pe_gemm.macs_per_ns=64 --explain --of "
      "launch:1 "
      "--json --quiet");
  CHECK(run.at("explain").at("asked") == 1);
  const json::value& launch = run.at("explain").at("paths").at(1);
  CHECK(launch.at("kinds").at(0).at("name") == "pe_gemm");
  CHECK(launch.at("keys").at(0).at("key") == "pe.pe_gemm.macs_per_ns");
  CHECK(launch.at("keys").at(0).at("elasticity").to_number<double>() > 0.9);
}

TEST_CASE("--recheck: what was predicted is what is simulated") {
  const json::object run = json_of(
      "--topology topology.yaml --bench ccl_allreduce --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 "
      "--explain --recheck --json --quiet");
  const json::array& trials = run.at("explain").at("recheck").as_array();
  CHECK(trials.size() == 24);
  for (const json::value& trial : trials) {
    if (trial.at("flips").to_number<std::int64_t>() > 0) continue;
    CAPTURE(json::serialize(trial));
    CHECK(trial.at("predicted_ps") == trial.at("simulated_ps"));
  }
  CHECK(run.at("explain").at("noise_ps") == 0);
}

TEST_CASE("--recheck: whatever the run writes, the runs again write nothing and all can run") {
  const std::filesystem::path folder = fresh_place("recheck");
  std::filesystem::create_directories(folder);
  const std::string job =
      "--topology=topology.yaml --bench=gemm_single_pe --set pe.pe_gemm.macs_per_ns=64 --quiet ";
  const auto in_folder = [&](const std::string& name) { return (folder / name).string(); };
  const std::string files = " --trace " + in_folder("t.json") + " --trace-dir=" + in_folder("td") +
                            " --chakra " + in_folder("ch") + " --oplog=" + in_folder("run.oplog") +
                            " --trace-units '*' --trace-limit=10000000 --out ";
  REQUIRE(run_kbsim(job + "--explain" + files + in_folder("plain")).exit == 0);
  const auto texts = [&] {
    return contents(in_folder("t.json")) + contents(in_folder("td/rank0.json")) +
           contents(in_folder("ch/gemm_single_pe.0.et")) + contents(in_folder("run.oplog"));
  };
  const std::string before = texts();
  const json::object run = json_of(job +
                                   "--explain --recheck --of run --json --no-report --dump-queues --verbose "
                                   "--parallel-bound" +
                                   files + in_folder("again"));
  const json::array& trials = run.at("explain").at("recheck").as_array();
  CHECK(trials.size() >= 8);
  for (const json::value& trial : trials) {
    CAPTURE(json::serialize(trial));
    CHECK(trial.as_object().contains("simulated_ps"));
  }
  CHECK(run.at("explain").at("noise_ps").is_int64());
  CHECK(texts() == before);
  CHECK_FALSE(std::filesystem::exists(folder / "again/report.html"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("--of and --recheck: what isn't there, and what has no effect, is refused") {
  const std::string job = "--topology topology.yaml --bench ccl_allreduce --quiet ";
  for (const char* wrong :
       {"--of run", "--recheck", "--explain --of launch:0", "--explain --of launch:3",
        "--explain --of collective:2", "--explain --of op:1", "--explain --of launch:1x",
        "--explain --of op:sip0.cube0.pe0:x", "--explain --of op::1", "--explain --of op:0:-1"}) {
    CAPTURE(wrong);
    CHECK(run_kbsim(job + wrong).exit == 2);
  }
}

TEST_CASE("--of: a missing number is refused with those that exist") {
  const std::string job = "--topology topology.yaml --bench ccl_allreduce --quiet --explain --of ";
  const auto refused = [&](const std::string& of, const std::string& why) {
    const Outcome outcome = run_kbsim(job + of);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("launch:3", "--of launch:3: there are 2 launches, 1 to 2\n");
  refused("collective:2", "--of collective:2: there is 1 collective\n");
  refused("op:sip0.cube0.pe9:1", "--of op:sip0.cube0.pe9:1: there is no such lane: the op log has 0 to ");
  refused("op:4096:1", "there is no such lane");
  refused("op:sip0.cube0.pe0:4096", "--of op:sip0.cube0.pe0:4096: sip0.cube0.pe0 has operations 0 to ");
  refused("op:sip0.cube0.pe1:0", "--of op:sip0.cube0.pe1:0: sip0.cube0.pe1 has no operations; ");
  refused("op:sip0.cube0.pe1:0", " lanes have some: sip0.cube0.pe0, ");
  refused("op:0:0 --timing-only", "--timing-only and --of op: ");
  refused("row:1", "--of row:1: ccl_allreduce is a single simulation, and has no rows");
}

TEST_CASE("--of: the error of a missing part comes alone, and files that were asked for are written") {
  const std::string job = "explain --topology topology.yaml --bench ccl_allreduce --of ";
  for (const std::string of : {"launch:3", "collective:2", "op:sip0.cube0.pe0:4096", "op:sip0.cube0.pe1:0"}) {
    for (const char* more : {"", " --recheck", " --json"}) {
      CAPTURE(of + more);
      const Outcome outcome = run_kbsim(job + of + more);
      CHECK(outcome.exit == 2);
      CHECK(outcome.out.empty());
      CHECK(outcome.err.starts_with("kbsim: --of " + of + ": "));
      CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    }
  }
  const Outcome kept =
      run_script("$KBSIM " + job + "launch:3 --out lacks; $KBSIM " + job +
                 "run --out has >/dev/null 2>&1; cmp lacks/results.csv has/results.csv && "
                 "cmp lacks/explain.json has/explain.json && ls lacks/report.html; rm -r lacks has");
  CHECK(kept.out == "lacks/report.html\n");
  CHECK(kept.err == "kbsim: --of launch:3: there are 2 launches, 1 to 2\n");
}

TEST_CASE("--of op: its path goes from its kernel's call to its end, by name or number of its lane") {
  const json::object run = json_of(kMainJob + " --explain --of op:sip0.cube0.pe0:2 --json --quiet");
  const json::array& paths = run.at("explain").at("paths").as_array();
  const json::value& op = paths.at(run.at("explain").at("asked").to_number<std::size_t>());
  CHECK(op.at("of").as_string().starts_with("op:sip0.cube0.pe0:2 ("));
  CHECK(op.at("length_ps").to_number<std::int64_t>() > 0);
  CHECK(sum(op.at("reasons")) == op.at("length_ps").to_number<std::int64_t>());
  CHECK(op.at("path").as_array().back().at("op") == "sip0.cube0.pe0:2");
  const json::object same = json_of(kMainJob + " --explain --of op:0:2 --json --quiet");
  CHECK(same.at("explain").at("paths").as_array().back() == op);
  CHECK(same.at("run").at("digest") == run.at("run").at("digest"));
  const Outcome text = run_kbsim(kMainJob + " --explain --of op:0:2 --quiet");
  CHECK(text.out.find("critical path of op:sip0.cube0.pe0:2 (") != std::string::npos);
}

TEST_CASE("--explain: what moves data has the name of its call") {
  const Outcome run = run_kbsim(kMainJob + " --explain --quiet");
  CHECK(run.out.find("    load f16 [8] at tree_allreduce.cpp:") != std::string::npos);
  CHECK(run.out.find("    store f16 [8] at tree_allreduce.cpp:") != std::string::npos);
  CHECK(run.out.find("copy f16") == std::string::npos);
  const auto head = [](const char* op) {
    const std::string text = run_kbsim(kMainJob + " --explain --quiet --of " + op).out;
    const std::size_t begin = text.find("critical path of ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK_MESSAGE(head("op:sip0.cube0.pe0:0").find("op:sip0.cube0.pe0:0 (load f16 [8])") != std::string::npos,
                head("op:sip0.cube0.pe0:0"));
  CHECK_MESSAGE(head("op:sip0.cube0.pe0:1").find("op:sip0.cube0.pe0:1 (send f16 [8])") != std::string::npos,
                head("op:sip0.cube0.pe0:1"));
  CHECK(head("op:sip0.cube0.pe0:2").find("op:sip0.cube0.pe0:2 (store f16 [8])") != std::string::npos);
}

TEST_CASE("--of: what a path is called is what asks for it") {
  const auto texts = [](const std::string& of) {
    const Outcome run = run_kbsim(kMainJob + " --explain --quiet --of " + of);
    CHECK_MESSAGE(run.exit == 0, run.err);
    return run.out;
  };
  const std::string run = texts("run");
  for (const std::string launch : {"(launch:1, rank 0), ", "(launch:2, rank 1), "})
    CHECK_MESSAGE(run.find("critical path of intercube_allreduce " + launch) != std::string::npos, run);
  CHECK(texts("launch:2").find("critical path of intercube_allreduce (launch:2, rank 1), ") !=
        std::string::npos);
  CHECK(texts("collective:1").find("critical path of collective:1, intercube_allreduce on 2 ranks, ") !=
        std::string::npos);
  CHECK(texts("op:sip0.cube0.pe0:2").find("critical path of op:sip0.cube0.pe0:2 (store f16 [8]), ") !=
        std::string::npos);
}

// Two launches; the one that is reported later ends the run.
TEST_CASE("--explain: launches and operations that aren't on the path have their slack") {
  const json::object run = json_of(kMainJob + " --explain --json --quiet");
  const json::array& paths = run.at("explain").at("paths").as_array();
  REQUIRE(paths.size() == 4);
  CHECK(paths.at(0).at("own_slack").is_null());
  for (std::size_t i = 1; i < 4; ++i) {
    const json::value& slack = paths.at(i).at("own_slack");
    CHECK(slack.at("ps").to_number<std::int64_t>() >= slack.at("steady_ps").to_number<std::int64_t>());
    CHECK(paths.at(i).at("collective") == 1);
  }
  CHECK(paths.at(3).at("rank") == -1);
  std::int64_t before = 0;
  for (const json::value& slack : paths.at(0).at("op_slack").as_array()) {
    CHECK(slack.at("ps").to_number<std::int64_t>() >= std::max<std::int64_t>(before, 1));
    CHECK(slack.at("ps").to_number<std::int64_t>() >= slack.at("steady_ps").to_number<std::int64_t>());
    before = slack.at("ps").to_number<std::int64_t>();
  }
  CHECK(before > 0);
}

TEST_CASE("kbsim explain: a sentence, a bar and tables, and explain.json in --out") {
  const Outcome text = run_script(
      "$KBSIM explain --topology topology.yaml --bench ccl_allreduce --quiet --out o; "
      "ls o/explain.json; wc -l < o/explain.json");
  CAPTURE(text.err);
  CHECK(text.exit == 0);
  for (const char* part : {"critical path of the run, 2811.942 ns: 82 % overhead", "by reason",
                           "178 ps a ps, at 8 ns", "critical path of intercube_allreduce", "o/explain.json"})
    CHECK_MESSAGE(text.out.find(part) != std::string::npos, part);
}

// For each evaluation, the path of a row is as long as the time in the row.
TEST_CASE("--of row: the path of a row of any evaluation sums to the row's time" *
          doctest::skip(kbsim::test::kSanitized)) {
  struct Case {
    std::string bench;
    std::string row;
    const char* time;
    double ns_a_unit;
  };
  const std::string plan = "--algorithm bidirectional_ring_allreduce ";
  for (const Case& one :
       {Case{"ccl -b 1K -e 4K", "2", "time", 1000.0},
        Case{"ccl -b 64K -e 64K -n 2 -w 1 -c 0 " + plan, "1", "time", 1000.0},
        Case{"milestone-1h-gemm", "4", "pe_window_ns", 1.0},
        Case{"gemm --m 96 --n 40 --k 64", "1", "time_us", 1000.0},
        Case{"gemm --m 96 --n 40 --k 64 --on package", "1", "time_us", 1000.0},
        Case{"attention --panel single_user_decode --ranks 2 --s_kv 16", "2", "time_us", 1000.0},
        Case{"attention --panel multi_user_prefill --ranks 2 --s_kv 16", "4", "time_us", 1000.0},
        Case{"tp_mlp --ranks 2", "2", "time_us", 1000.0}}) {
    CAPTURE(one.bench);
    const std::string job = "--topology topology.yaml --quiet --json --bench " + one.bench;
    json::object printed = json_of(job + " --explain --of row:" + one.row);
    const json::value& path = printed.at("explain").at("paths").at(0);
    const json::object row = printed.at("rows").at(std::stoul(one.row) - 1).as_object();
    const double stated = row.at(one.time).to_number<double>() * one.ns_a_unit * 1000.0;
    CHECK(path.at("length_ps").to_number<double>() == doctest::Approx(stated).epsilon(1e-9));
    CHECK(sum(path.at("reasons")) == path.at("length_ps").to_number<std::int64_t>());
    CHECK(path.at("of").as_string().starts_with("row:" + one.row + ", "));
    CHECK(row.at("limited_by") == path.at("limited_by"));
    CHECK(!row.at("limited_by").as_string().empty());
    printed.erase("explain");
    for (json::value& each : printed.at("rows").as_array()) each.as_object().erase("limited_by");
    CHECK(printed == json_of(job));
  }
}

TEST_CASE(
    "--explain: every evaluation has a column `limited by`, in text and in results.csv; its digest stays" *
    doctest::skip(kbsim::test::kSanitized)) {
  const auto digest = [](const Outcome& outcome) { return outcome.err.substr(outcome.err.rfind("digest ")); };
  for (const char* bench :
       {"milestone-1h-gemm", "gemm --on cube", "attention --ranks 2 --s_kv 16", "tp_mlp --ranks 2"}) {
    CAPTURE(bench);
    const std::string job = std::string{"$KBSIM --topology topology.yaml --bench "} + bench;
    const Outcome printed = run_script(job + " --explain --out o && head -1 o/results.csv");
    CAPTURE(printed.err);
    REQUIRE(printed.exit == 0);
    const Outcome plain = run_script(job);
    REQUIRE(plain.exit == 0);
    CHECK(digest(printed) == digest(plain));
    CHECK(printed.out.find("  limited by\n") != std::string::npos);
    CHECK(printed.out.find("\n --of row:") != std::string::npos);
    CHECK(plain.out.find("--of row:") == std::string::npos);
    CHECK(printed.out.find("limited_by") != std::string::npos);
    CHECK(plain.out.find("limited by") == std::string::npos);
  }
}

TEST_CASE("--explain: how far a slope holds, and what small steps give, are sentences") {
  const Outcome text = run_kbsim(kMainJob + " --explain --recheck --quiet");
  CHECK(unwrapped(text.out).find("178 ps a ps, at 8 ns; holds up to 16.563 ns ") != std::string::npos);
  CHECK(text.out.find("  small steps are simulated as predicted, to the picosecond\n") != std::string::npos);
  CHECK(text.out.find("for 0 %") == std::string::npos);
  CHECK(text.out.find(" 0.0 % less time") == std::string::npos);
}

TEST_CASE("--explain: memories with banks, routers with channels and PEs that poll have paths, too") {
  for (const char* what :
       {"--topology hbm4.yaml", "--topology topology.yaml --set cube.noc.router.impl=builtin.router_vc",
        "--topology topology.yaml --set cube.noc.router.impl=builtin.router_iq",
        "--topology topology.yaml --set ccl.defaults.backpressure=poll"}) {
    CAPTURE(what);
    const std::string run = std::string{what} + " --bench ccl_allreduce ";
    const auto digest = [](const Outcome& outcome) {
      return outcome.err.substr(std::min(outcome.err.find("digest "), outcome.err.size()));
    };
    const Outcome explained = run_kbsim(run + "--explain");
    CAPTURE(explained.err);
    CHECK(explained.exit == 0);
    CHECK(explained.out.find("critical path of the run, ") != std::string::npos);
    CHECK(digest(explained) == digest(run_kbsim(run)));
    CHECK(digest(explained).size() > 16);
  }
}

// Two packages exchange a MiB: with four slots, sends wait for slots; with 64 they hardly do.
TEST_CASE("--explain: rows of --bench ccl say what limits them, and are those of without it") {
  const std::string ring =
      "--topology topology.yaml --bench ccl --algorithm chunked_ring_allreduce -b 1M -e 1M "
      "-c 0 --quiet --json --set ccl.algorithms.chunked_ring_allreduce.n_slots=";
  const auto row = [&](const std::string& options) {
    return json_of(ring + options).at("rows").at(0).as_object();
  };
  json::object four = row("4 --explain");
  const std::string few{four.at("limited_by").as_string()};
  CHECK_MESSAGE(few.find("slot") != std::string::npos, few);
  const std::string many{row("64 --explain").at("limited_by").as_string()};
  CHECK_MESSAGE(many.find("slot") == std::string::npos, many);
  four.erase("limited_by");
  CHECK(four == row("4"));
  const Outcome text = run_kbsim(ring.substr(0, ring.find(" --json")) + " --explain");
  CHECK(text.out.find("#wrong  limited by\n") != std::string::npos);
}

TEST_CASE("--of row: the whole path of a row of an evaluation, and its rows are those of without it") {
  const std::string job =
      "--topology topology.yaml --bench ccl --algorithm ring_all_gather -b 1K -e 4K -c 0 --quiet --explain ";
  json::object printed = json_of(job + "--of row:2 --json");
  const json::object path = printed.at("explain").as_object();
  CHECK(path.at("row") == 2);
  const json::value& row = path.at("paths").at(0);
  CHECK(row.at("of").as_string().starts_with("row:2, "));
  CHECK(row.at("limited_by") == printed.at("rows").at(1).at("limited_by"));
  CHECK(sum(row.at("reasons")) == row.at("length_ps").to_number<std::int64_t>());
  CHECK(row.at("keys").at(0).as_object().contains("range"));
  printed.erase("explain");
  CHECK(printed == json_of(job + "--json"));
  const Outcome text = run_script("$KBSIM " + job + "--of row:2 --out o && cat o/explain.json");
  CAPTURE(text.err);
  CHECK(text.exit == 0);
  CHECK(text.out.find("\ncritical path of row:2, ") != std::string::npos);
  CHECK(text.out.find("{\"schema_version\":1,\"row\":2,\"paths\":[{") != std::string::npos);
}

TEST_CASE("--explain: an evaluation's table ends with the --of that prints a row's path") {
  const std::string job = "explain --bench gemm --m 96 --n 40 --k 64 --quiet";
  CHECK(run_kbsim(job).out.ends_with("\n --of row:1 prints the row's critical path\n"));
  const std::string asked = run_kbsim(job + " --of row:1").out;
  CHECK(asked.find("\ncritical path of row:1, ") != std::string::npos);
  CHECK(asked.find("--of row:") == std::string::npos);
  CHECK(run_kbsim("explain --bench ccl -b 1K -e 4K -c 0 --quiet")
            .out.ends_with("\n --of row:N prints the critical path of row N, 1 to 2\n"));
}

TEST_CASE("--of row: one that isn't there, and what isn't a row, are refused before anything runs") {
  const auto refused = [](const std::string& of, int exit, const std::string& why) {
    const Outcome outcome = run_kbsim("--topology topology.yaml --quiet --explain --bench " + of);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == exit);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("ccl -b 1K -e 4K -c 0 --of row:3", 2, "--of row:3: there are 2 rows, 1 to 2\n");
  refused("ccl -b 1K -e 1K -c 0 --of row:2", 2, "--of row:2: there is 1 row\n");
  refused("ccl -b 1K -e 1K -c 0 --of row:0", 2, "--of row:0: expected run, launch:N");
  refused("gemm --of row:2", 2, "--of row:2: there is 1 row\n");
  refused("milestone-1h-gemm --of row:25", 2, "--of row:25: there are 24 rows, 1 to 24\n");
  refused("attention --of row:100000", 2, "--of row:100000: there are ");
  refused("tp_mlp --of row:4", 2, "--of row:4: there are 3 rows, 1 to 3\n");
  refused("llm --of row:3", 2, "--of row:3: there are 2 rows, 1 to 2\n");
  refused("ccl -b 1K -e 1K -c 0 --of launch:1", 5, "--of launch:1: ccl runs many simulations; --of row:N");
  refused("milestone-1h-ccl --of row:100000", 2, "--of row:100000: there are ");
}

TEST_CASE("--explain: of a run that a limit ends it says what is known until then") {
  const auto err_at = [](const std::string& limit) {
    const Outcome outcome = run_kbsim(kMainJob + " --explain --max-sim-time " + limit);
    CHECK(outcome.exit == 4);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(err_at("1000").find("until 999.417 ns no launch had") != std::string::npos);
  const std::string later = err_at("2800");
  CHECK_MESSAGE(later.find("(launch:1, rank ") != std::string::npos, later);
}

}  // namespace kbsim::contract::explain_test
