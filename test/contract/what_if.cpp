// kbsim whatif, solve and diff, by the command.
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::what_if_test {

using namespace kbsim::test;
namespace json = boost::json;

namespace {

const std::string kJob = "--bench ccl_allreduce --timing-only --quiet";

json::object found_by(const std::string& script) {
  const Outcome outcome = run_script(script);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return json::parse(outcome.out).as_object();
}

bool has(const json::value& text, std::string_view part) {
  return std::string_view{text.as_string()}.find(part) != std::string_view::npos;
}

}  // namespace

// A ps of the ports between dies is 178 of the run.
TEST_CASE("whatif: settings alone and together beside the run as it is") {
  const json::object all = found_by("$KBSIM whatif " + kJob +
                                    " --set sip.ucie.overhead_ns=4,0 --set 'sip.ucie.overhead_ns=4 "
                                    "pe.pe_dma.max_outstanding=0,16' --json --out o && test -s o/whatif.csv");
  const json::array& rows = all.at("rows").as_array();
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].at("total_ns").to_number<double>() == doctest::Approx(2811.942));
  CHECK(rows[1].at("total_ns").to_number<double>() == doctest::Approx(2811.942 - 178 * 4));
  CHECK(rows[1].at("total_speed_up").to_number<double>() == doctest::Approx(2811.942 / 2099.942));
  CHECK(has(rows[1].at("limited_by"), "overhead"));
  CHECK(has(rows[1].at("path"), "overhead 82 -> 76 %"));
  CHECK(rows[1].at("metric") == "latency_ns");
  CHECK(rows[3].at("exit") == 2);
  CHECK(has(rows[3].at("message"), "max_outstanding"));
  CHECK(rows[4].at("total_ns") == rows[1].at("total_ns"));
}

TEST_CASE("whatif: a metric's name may lack its unit") {
  const json::object all =
      found_by("$KBSIM whatif " + kJob + " --set sip.ucie.overhead_ns=4 --metric latency --json --out o");
  CHECK(all.at("rows").at(1).at("metric") == "latency_ns");
  const Outcome wrong = run_kbsim("whatif " + kJob + " --set sip.ucie.overhead_ns=4 --metric laten");
  CHECK(wrong.exit == 2);
  CHECK(wrong.err.find("this bench has no metric 'laten', did you mean 'latency_ns'?\n") !=
        std::string::npos);
}

TEST_CASE("whatif: --of is what limits, and the table says of what") {
  // The longest reason is the same for the run and for the launch; the shares differ.
  const auto text_of = [](const std::string& words) {
    const Outcome outcome = run_kbsim("whatif --quiet --set sip.ucie.overhead_ns=4 " + words);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return outcome.out;
  };
  const std::string launch = text_of("--bench ccl_allreduce --of launch:1");
  const std::string shown = run_kbsim("explain --bench ccl_allreduce --of launch:1 --json --quiet").out;
  const json::object explained = json::parse(shown).at("explain").as_object();
  const json::object& asked =
      explained.at("paths").at(explained.at("asked").to_number<std::size_t>()).as_object();
  CAPTURE(launch);
  CHECK(launch.find("limited by (" + std::string{asked.at("of").as_string()} + ")\n") != std::string::npos);
  CHECK(launch.find("  as it is ") != std::string::npos);
  const std::string limited{asked.at("limited_by").as_string()};
  const std::size_t base = launch.find("  as it is ");
  CHECK(launch.substr(base, launch.find('\n', base) - base).ends_with("  " + limited));
  CHECK(text_of("--bench ccl_allreduce").find("limited by\n") != std::string::npos);
  const std::string row = text_of("--bench ccl -b 1K -e 4K --of row:2");
  CHECK_MESSAGE(row.find("limited by (row:2, ") != std::string::npos, row);
}

TEST_CASE("whatif and solve: what only a single run prints or writes is refused") {
  for (const std::string option :
       {"--parallel-bound", "--dump-queues", "--profile-self", "--trace t.html", "--oplog=o.oplog",
        "--chakra d", "--dry-run", "--recheck", "--trace-units=*"}) {
    const std::string name = option.substr(0, option.find_first_of(" ="));
    for (const std::string command : {"whatif --set sip.ucie.overhead_ns=4 ",
                                      "solve --target 'latency<=600ns' --vary sip.ucie.overhead_ns=1..8 "}) {
      const Outcome outcome = run_kbsim(command + "--bench ccl_allreduce " + option);
      CAPTURE(command + option);
      CHECK(outcome.exit == 2);
      CHECK(outcome.out.empty());
      CHECK(outcome.err == "kbsim: " + name + ": many runs have no such output; give it to one of them\n");
    }
  }
  const Outcome json = run_kbsim("whatif --set sip.ucie.overhead_ns=4 --bench ccl -b 4K -e 4K -J x.json");
  CHECK(json.exit == 2);
  CHECK(json.err.find("-J: many runs have no such output") != std::string::npos);
}

TEST_CASE("whatif: the metric of each evaluation is a time of its first row, by its inputs" *
          doctest::skip(kbsim::test::kSanitized)) {
  const auto metric_of = [](const std::string& run, const std::string& set = "sip.ucie.overhead_ns=4") {
    const json::object all = found_by("$KBSIM whatif --json --set " + set + " -- --quiet --bench " + run);
    return std::string{all.at("rows").at(1).at("metric").as_string()};
  };
  CHECK(metric_of("attention --panel multi_user_decode --ranks 2") == "time_us[ranks=1 s_kv_per_rank=32]");
  CHECK(metric_of("tp_mlp --ranks 2") == "time_us[ranks=1]");
  CHECK(metric_of("llm --on pe --prompt 4") == "ttft_us[phase=prefill]");
  CHECK(metric_of("milestone-1h-gemm", "pe.pe_dma.max_outstanding=8") ==
        "pe_window_ns[shape=16x32x16 staging=ref_ref]");
  std::ofstream{written("whatif_layers", "") + ".csv"} << "Layer,M,N,K,\nL0,16,16,32,\nL1,32,16,32,\n";
  CHECK(metric_of("gemm --layers " + written("whatif_layers", "") + ".csv", "pe.pe_dma.max_outstanding=8") ==
        "time_us[layer=L0]");
}

TEST_CASE("whatif: a Chakra workload by its simulated time, with what it is limited by") {
  const json::object all = found_by(
      "$KBSIM --bench ccl_allreduce --quiet --chakra d > /dev/null && $KBSIM whatif --json --set "
      "sip.ucie.overhead_ns=4 "
      "-- --quiet --bench chakra --workload d");
  CHECK(all.at("explained") == true);
  CHECK(all.at("rows").at(1).at("metric") == "time_us");
  CHECK(!all.at("rows").at(1).at("limited_by").as_string().empty());
}

TEST_CASE("whatif: what can't be explained has its times") {
  const json::object all = found_by(
      "$KBSIM whatif --json --set sip.ucie.overhead_ns=4 -- --set cube.hbm_ctrl.impl=silent "
      "--plugin " KBSIM_BINARY "/contract/plugins/plugin_silent.so " +
      kJob);
  CHECK(all.at("explained") == false);
  CHECK(all.at("rows").at(1).at("total_speed_up").to_number<double>() > 1.2);
  CHECK(all.at("rows").at(1).at("limited_by") == "");
}

TEST_CASE("solve: all settings simulated, or some ruled out, have one answer") {
  const std::string space = "$KBSIM solve " + kJob +
                            " --vary sip.ucie.overhead_ns=1,4,8 --vary "
                            "cube.noc.router.overhead_ns=0.5,1 --json --target 'latency<=";
  const json::object whole = found_by(space + "0.62us'");
  CHECK(whole.at("proof") == "simulated");
  const json::object some = found_by(space + "620ns' --runs 5");
  CHECK(some.at("proof") == "monotone");
  CHECK(some.at("contradicted") == false);
  CHECK(whole.at("answer") == some.at("answer"));
  CHECK(whole.at("answer").at("value").to_number<double>() <= 620.0);
  for (const json::value& row : whole.at("simulated").as_array()) {
    if (row.at("meets").as_bool())
      CHECK(row.at("cost").to_number<double>() >= whole.at("answer").at("cost").to_number<double>());
  }
  const json::object none = found_by(space + "1ns' --runs 5");
  CHECK(none.at("answer").is_null());
  CHECK(has(none.at("nearest").at("setting"), "sip.ucie.overhead_ns=1 "));
}

TEST_CASE("diff: a run against itself is empty; a slow link and a changed key come first") {
  const Outcome outcome =
      run_script("K=\"$KBSIM " + kJob + "\"\n" +
                 "$K --explain --out a >/dev/null && "
                 "$K --set system.sips.link.bw_gbs=0.1 --out b >/dev/null && "
                 "$KBSIM diff a a && $KBSIM diff a b --json --out d && test -s d/diff.json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  const std::string same = "no difference\n";
  REQUIRE(outcome.out.starts_with(same));
  const json::object all = json::parse(outcome.out.substr(same.size())).as_object();
  REQUIRE(all.at("keys").as_array().size() == 1);
  CHECK(all.at("keys").at(0).at("key") == "system.sips.link.bw_gbs");
  CHECK(all.at("metrics").at(0).at("name") == "run.simulated_ns");
  const json::value& run = all.at("paths").at(0);
  CHECK(run.at("of") == "the run");
  CHECK(has(run.at("slower_first").at(0).at("name"), "serialization at sip"));
  CHECK(has(run.at("slower_first").at(0).at("name"), ".io.port_"));
  CHECK(run.at("keys").at(0).at("name") == "system.sips.link.bw_gbs");
}

TEST_CASE(
    "diff: a folder of kbsim explain without its paths runs again; a damaged one is refused by its file") {
  const Outcome again = run_script("$KBSIM explain " + kJob +
                                   " --out e --no-report >/dev/null && cp -r e f && rm f/explain.json && "
                                   "$KBSIM diff e f");
  CAPTURE(again.err);
  CHECK(again.exit == 0);
  CHECK(again.out == "no difference\n");
  for (const char* damage :
       {": > f/summary.json", "echo '{' > f/summary.json", "echo [1] > f/summary.json"}) {
    CAPTURE(std::string{damage});
    const Outcome refused = run_script(std::string{"cp e/* f && "} + damage + " && $KBSIM diff e f");
    CAPTURE(refused.err);
    CHECK(refused.exit == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err.ends_with(": isn't what a run wrote with --out\n"));
  }
}

// The lines above an algorithm's name are a whole configuration with the algorithms before it.
TEST_CASE("diff, check: a cut configuration is refused by the line where it ends, wherever it is cut") {
  const Outcome made =
      run_script("$KBSIM explain " + kJob +
                 " --out e --no-report >/dev/null && wc -l < e/config.resolved.yaml && "
                 "grep -n '^    [a-z_0-9]*:$' e/config.resolved.yaml | tail -n 3 | head -n 1 | cut -d: -f1");
  CAPTURE(made.err);
  REQUIRE(made.exit == 0);
  std::istringstream lines{made.out};
  int all = 0;
  int third_last = 0;
  lines >> all >> third_last;
  REQUIRE(third_last > 300);
  REQUIRE(third_last < all);
  const std::string end = fmt::format(": ends here, and is cut off: its run wrote {} lines\n", all);
  const auto refused = [&](const std::string& damage, const std::string& command) {
    const Outcome outcome = run_script("rm -rf f && cp -r e f && " + damage + " && " + command);
    CAPTURE(damage);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  const auto first_lines = [](int n) {
    return fmt::format("head -n {} e/config.resolved.yaml > f/config.resolved.yaml", n);
  };
  for (const char* command : {"$KBSIM diff e f", "$KBSIM check f"}) {
    CHECK(refused(first_lines(third_last - 1), command).ends_with(fmt::format(":{}{}", third_last - 1, end)));
    CHECK(refused(first_lines(300), command).ends_with(":300" + end));
    CHECK(refused(": > f/config.resolved.yaml", command).ends_with(":1" + end));
    CHECK(refused("echo '[1]' > f/config.resolved.yaml", command).ends_with(":1" + end));
  }
  CHECK(refused("sed -i 's/bw_gbs: 128/bw_gbs: 129/' f/config.resolved.yaml", "$KBSIM diff e f")
            .ends_with(": was changed since its run wrote it; kbsim check runs it as it is\n"));
  const std::string older = "sed -i 's/,\"configuration\":{[^}]*}//' f/run.json";
  CHECK(refused(older + " && " + first_lines(300), "$KBSIM diff e f")
            .ends_with(": isn't what a run wrote with --out\n"));
  const Outcome read = run_script("rm -rf f && cp -r e f && " + older +
                                  " && ! grep -q '\"configuration\"' f/run.json && $KBSIM diff e f");
  CAPTURE(read.err);
  CHECK(read.out == "no difference\n");
}

TEST_CASE("diff: evaluations keep no paths, and aren't run again for them") {
  const Outcome outcome =
      run_script("$KBSIM --bench ccl -b 1K -e 1K --no-report --quiet --out v >/dev/null && $KBSIM diff v v");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.starts_with("no difference\npaths aren't compared: an evaluation is many runs"));
  CHECK(outcome.err.empty());
}

TEST_CASE("solve: settings that can't run are counted") {
  const Outcome outcome =
      run_script("$KBSIM solve " + kJob + " --target 'latency<=1ns' --vary sip.ucie.overhead_ns=-1,0");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("\n1 of them can't run: sip.ucie.overhead_ns=-1: exit code 2: ") !=
        std::string::npos);
}

TEST_CASE("diff: a line of a kernel that takes longer comes first, of two commands") {
  const json::object all = found_by("$KBSIM diff --json --a \"" + kJob + "\" --b \"" + kJob +
                                    " --set pe.pe_cpu.dispatch_cycles=400\"");
  CHECK(all.at("keys").at(0).at("key") == "pe.pe_cpu.dispatch_cycles");
  const json::value& run = all.at("paths").at(0);
  CHECK(has(run.at("slower_first").at(0).at("name"), "dispatch at sip"));
  CHECK(has(run.at("slower_first").at(0).at("name"), ", kernels/"));
  const json::value& line = run.at("lines").at(0);
  CHECK(line.at("is_ps").to_number<int>() > 50 * line.at("was_ps").to_number<int>());
}

TEST_CASE("diff: operations lie beside those of their ids, and collectives beside collectives") {
  const std::string job = "--bench ccl_allreduce --quiet";
  const json::object all =
      found_by("$KBSIM diff --json --a \"" + job + "\" --b \"" + job + " --set pe.pe_math.startup_ns=44\"");
  const json::value& run = all.at("paths").at(0);
  const json::value& first = run.at("ops").at(0);
  CHECK(has(first.at("name"), "sip"));
  CHECK(has(first.at("name"), " add f16 ["));
  CHECK(first.at("is_ps").to_number<int>() - first.at("was_ps").to_number<int>() >= 40'000);
  CHECK(all.at("paths").at(1).at("of") == "collective 1 of intercube_allreduce");
  CHECK(has(all.at("paths").at(2).at("of"), "launch 1 of intercube_allreduce on rank"));
}

TEST_CASE("whatif, solve, diff: mistakes are reported before anything runs") {
  for (const char* what :
       {"whatif --bench ccl_allreduce",
        "whatif --set cube.noc.w=2",
        "whatif --bench ccl_allreduce --set cube.nc.w=2",
        "whatif --bench ccl_allreduce --set x",
        "whatif --bench ccl_allreduce --what best",
        "whatif --bench ccl_allreduce --set 'cube.noc.w=2 cube.noc.w=4'",
        "whatif --bench ccl_allreduce --out o --set cube.noc.w=2 -- --out p",
        "solve --bench ccl_allreduce --target 'latency<=1us'",
        "solve --bench ccl_allreduce --target 'latncy<=1us' --vary cube.noc.w=2..4",
        "solve --bench ccl_allreduce --target 'latency<=1GB/s' --vary cube.noc.w=2..4",
        "solve --bench ccl_allreduce --target 'latency=1us' --vary cube.noc.w=2..4",
        "solve --bench ccl_allreduce --target 'latency<=1us' --vary cube.noc.w=2..4 --cost cube.noc.h=1",
        "solve --bench ccl_allreduce --target 'latency<=1us' --vary cube.nc.w=2..4",
        "solve --bench ccl_allreduce --target 'latency<=1us' --vary cube.noc.link_bw_gbs=1..300000",
        "solve --bench ccl_allreduce --target 'latency<=1us' --vary cube.noc.w=2..4 --set cube.noc.w=4",
        "solve --bench ccl_allreduce --target 'latency<=inf ns' --vary cube.noc.w=2..4",
        "solve --what slots --bench gemm_single_pe",
        "solve --what slots --runs 3 --bench ccl_allreduce",
        "diff a",
        "diff a b c",
        "diff / /",
        "diff --a '--bench none' --b '--bench none'",
        "diff --a \"'\" --b x"}) {
    CAPTURE(std::string{what});
    const Outcome refused = run_kbsim(what);
    CAPTURE(refused.err);
    CHECK(refused.exit == 2);
    CHECK(refused.out.empty());
  }
}

}  // namespace kbsim::contract::what_if_test
