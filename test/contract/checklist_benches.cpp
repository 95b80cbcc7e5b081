// Benches as the user's documents name and check them.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::checklist_benches_test {

using namespace kbsim::test;

namespace {

const std::string kBench = "--topology topology.yaml --quiet --bench ";

std::string plugin(const std::string& name) {
  return " --plugin " KBSIM_BINARY "/contract/plugins/plugin_" + name + ".so";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("checklist 28: va_offset_verify, of a matrix divided by rows, and of one divided by columns") {
  const Outcome rows = run_kbsim(kBench + "va_offset_verify --verify-data");
  CHECK(rows.exit == 0);
  CHECK(says(rows.out, "va_offset_verify: 128 of 128 PEs copied their own 1024 elements"));
  CHECK(says(rows.out, "dst [128, 1024] ok   max_abs 0 max_rel 0 max_ulp 0\n"));
  const Outcome columns = run_kbsim(kBench + "va_offset_verify_columns --verify-data");
  CHECK(columns.exit == 0);
  CHECK(says(columns.out, "va_offset_verify_columns: 128 of 128 PEs copied their own 1024 elements"));
  CHECK(says(columns.out, "dst [32, 4096] ok   max_abs 0 max_rel 0 max_ulp 0\n"));
}

TEST_CASE("matmul-composite: any shape, dtype and staging is right; 256 x 256 x 256 is gemm_single_pe") {
  for (const char* options :
       {"--m 1 --k 1 --n 1", "--m 33 --k 65 --n 31 --dtype bf16", "--m 7 --k 300 --n 64 --dtype f32",
        "--m 40 --k 64 --n 40 --staging load_ref", "--m 40 --k 64 --n 40 --staging load_load --dtype f32"}) {
    CAPTURE(options);
    const Outcome outcome = run_kbsim(kBench + "matmul-composite --verify-data " + options);
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    CHECK(says(outcome.out, "] ok   max_abs "));
  }
  const auto result = [](const std::string& bench) {
    return boost::json::parse(run_kbsim(kBench + bench + " --json").out).at("result");
  };
  CHECK(result("matmul-composite") == result("gemm_single_pe"));
  for (const char* dry : {"", " --dry-run"}) {
    const Outcome refused = run_kbsim(kBench + "matmul-composite --m 4096 --k 4096 --staging load_ref" + dry);
    CHECK(refused.exit == 2);
    CHECK_MESSAGE(says(refused.err, "more than the TCM of a PE has room for"), refused.err);
  }
}

TEST_CASE("checklist 28: ipcq_allreduce is ccl_allreduce by another name") {
  const auto of = [](const std::string& name) {
    boost::json::object all = boost::json::parse(run_kbsim(kBench + name + " --json").out).as_object();
    CHECK(all.at("bench").as_string() == name);
    all.erase("bench");
    all.at("run").as_object().erase("host");
    return all;
  };
  CHECK(of("ipcq_allreduce") == of("ccl_allreduce"));
}

TEST_CASE("checklist 28: a bench that submits nothing fails") {
  const Outcome outcome = run_kbsim(kBench + "idle" + plugin("idle"));
  CHECK(outcome.exit == 8);
  CHECK(outcome.out.empty());
  CHECK(says(outcome.err, "bench idle submitted nothing: no message went through the machine"));
}

TEST_CASE("checklist 28: a check that fails says got mean=..., expected=...") {
  const Outcome outcome =
      run_kbsim(kBench + "ccl_allreduce --set ccl.algorithms.intercube_allreduce.kernel=forgetful" +
                plugin("forgetful"));
  CHECK(outcome.exit == 7);
  CHECK_MESSAGE(says(outcome.out, " [FAIL] intercube_allreduce (ws=2): 0 OK / 32 FAIL\n"), outcome.out);
  CHECK_MESSAGE(says(outcome.out, "the first of them: got mean="), outcome.out);
  CHECK_MESSAGE(says(outcome.out, ", expected="), outcome.out);
}

TEST_CASE("checklist 28: -d fp16 and fp32 are half and float") {
  const auto rows = [](const std::string& type) {
    return run_kbsim(kBench + "ccl --algorithm ring_allreduce_tcm -b 1K -e 1K -d " + type).out;
  };
  CHECK(rows("fp16") == rows("half"));
  CHECK(rows("fp32") == rows("float"));
  CHECK(says(rows("fp32"), "float"));
}

TEST_CASE("checklist 5: --device sip:N runs a bench there, --device all a copy on each package") {
  const auto json = [](const std::string& arguments) {
    const Outcome outcome = run_kbsim(kBench + arguments + " --json");
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return boost::json::parse(outcome.out).at("result").as_object();
  };
  for (const std::string bench : {"gemm_single_pe", "qkv_gemm", "va_offset_verify"}) {
    CAPTURE(bench);
    const boost::json::object alone = json(bench);
    for (const std::string device : {"sip:0", "sip:1"}) {
      boost::json::object there = json(bench + " --device " + device).at("devices").at(0).as_object();
      CHECK(there.at("device").as_string() == device);
      there.erase("device");
      CHECK(there == alone);
    }
    const boost::json::object all = json(bench + " --device all --set system.sips.count=3");
    REQUIRE(all.at("devices").as_array().size() == 3);
    CHECK(all.at("devices").at(2).at("device").as_string() == "sip:2");
  }
  const std::string out = written("devices", "") + ".d";
  const Outcome both = run_kbsim(kBench + "va_offset_verify --verify-data --device all --out " + out);
  CHECK(both.exit == 0);
  CHECK(says(both.out, " sip:0\n va_offset_verify: 128 of 128 PEs"));
  CHECK(says(both.out, " sip:1\n va_offset_verify: 128 of 128 PEs"));
  CHECK(says(both.out, "sip:1 dst [128, 1024] ok   max_abs 0 max_rel 0 max_ulp 0\n"));
  CHECK(says(contents(out + "/results.csv"), "\nsip:1,128,128,"));
}

TEST_CASE(
    "checklist 5: a collective runs on all packages; a device that isn't there or has no effect is refused") {
  CHECK(run_kbsim(kBench + "ccl_allreduce --device all").out == run_kbsim(kBench + "ccl_allreduce").out);
  for (const auto& [arguments, why] :
       {std::pair{"ccl_allreduce --device sip:1", "--bench ccl_allreduce runs on all packages"},
        {"qkv_gemm --device sip:2", "--device sip:2: the machine has 2 packages"},
        {"qkv_gemm --device sip:", "--device must be sip:N or all, got 'sip:'"},
        {"qkv_gemm --device sip:-1", "--device must be sip:N or all"},
        {"qkv_gemm --device sip:1x", "--device must be sip:N or all"},
        {"qkv_gemm --device pe:0", "--device must be sip:N or all"},
        {"milestone-1h-gemm --device all", "it chooses its packages itself"},
        {"gemm_single_pe --device sip:1 --set cube.memory.hbm_bytes_per_pe=1000", "sip1.cube0.pe0 "},
        {"qkv_gemm --device sip:1 --set cube.memory.hbm_bytes_per_pe=1000", "sip1.cube0.pe0 "},
        {"va_offset_verify --device sip:1 --set cube.memory.hbm_bytes_per_pe=1000", "sip1.cube0.pe0 "}}) {
    CAPTURE(arguments);
    const Outcome outcome = run_kbsim(kBench + arguments);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(says(outcome.err, why), outcome.err);
    CHECK(run_kbsim(kBench + arguments + " --dry-run").err == outcome.err);
  }
}

TEST_CASE("checklist 29: gpt3_qkv and qkv_gemm over all devices, a copy on each") {
  for (const std::string bench : {"qkv_gemm", "qkv_gemm_multi_pe"}) {
    const Outcome outcome = run_kbsim(kBench + bench + " --verify-data --device all");
    CHECK(outcome.exit == 0);
    for (const char* part : {" sip:0\n", " sip:1\n", "sip:0 q of PE ", "sip:1 v of PE "})
      CHECK_MESSAGE(says(outcome.out, part), outcome.out);
    CHECK(!says(outcome.out, "FAIL"));
  }
  CHECK(run_kbsim(kBench + "gpt3_qkv --device all --dry-run").exit == 0);
}

TEST_CASE(
    "checklist 3: --out has a row for each launch and package: phase, kernel, PEs, total, kernel, network") {
  const std::string out = written("orders", "") + ".d";
  REQUIRE(run_kbsim(kBench + "ccl_allreduce --out " + out).exit == 0);
  const std::string rows = contents(out + "/orders.csv");
  CHECK(rows.starts_with("phase,name,rank,sip,cubes,target_pe,start_ns,total_ns,kernel_ns,network_ns\n"));
  CHECK(says(rows, "\nkernel,intercube_allreduce,0,0,16,0,"));
  CHECK(says(rows, "\nkernel,intercube_allreduce,1,1,16,0,"));
  CHECK(says(rows, "\nipcq_init,,"));
  CHECK(says(rows, "\nmemory_write,,0,0,16,0,"));
  CHECK(says(rows, "818.715,"));  // the latency that the bench prints, of the slowest rank
}

TEST_CASE("checklist 27: milestone-1h-ccl --parity 1: launched without dist, the values are right, too" *
          doctest::skip(kbsim::test::kSanitized)) {
  const std::string small =
      "--set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 --set cube.pe_layout.pe_per_corner=1 --buffer-kind "
      "tcm ";
  const Outcome outcome = run_kbsim(kBench + "milestone-1h-ccl --parity 1 --json " + small);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::value all = boost::json::parse(outcome.out);
  for (const auto& row : all.at("rows").as_array()) {
    CHECK(row.at("correct").as_bool());
    CHECK(row.at("direct_nwrong").to_number<int>() == 0);
    CHECK(row.at("direct_us").to_number<double>() > 0.0);
  }
  CHECK(says(run_kbsim(kBench + "milestone-1h-ccl --parity 1 " + small).out, " launched without dist: "));
  CHECK(run_kbsim(kBench + "milestone-1h-ccl --parity 2 --dry-run").exit == 2);
}

TEST_CASE("checklist 26: the milestones need nothing but their names; MILESTONE_FAST=1 takes what is there" *
          doctest::skip(kbsim::test::kSanitized)) {
  namespace fs = std::filesystem;
  const std::string folder = written("milestones", "") + ".d";
  fs::create_directory(folder);
  const auto run = [&](const std::string& command) { return run_script("cd " + folder + " && " + command); };
  const std::string few =
      " --quiet --buffer-kind tcm --set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 --set "
      "cube.pe_layout.pe_per_corner=1";
  for (const auto& [milestone, made, figure] :
       {std::tuple{std::string{"milestone-1h-gemm --quiet"}, folder + "/1H_milestone_output/gemm",
                   "gemm_load_ref_stage_breakdown.csv"},
        {"milestone-1h-ccl" + few, folder + "/1H_milestone_output/ccl", "ccl_latency_ring_1d.csv"}}) {
    CAPTURE(milestone);
    const Outcome refused = run("MILESTONE_FAST=1 $KBSIM --bench " + milestone);
    CHECK(refused.exit == 2);
    CHECK_MESSAGE(says(refused.err, "MILESTONE_FAST=1: no 1H_milestone_output/"), refused.err);
    const Outcome outcome = run("$KBSIM --bench " + milestone);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    for (const char* file : {"summary.json", "results.csv", "run.json", "config.resolved.yaml", figure})
      CHECK_MESSAGE(fs::exists(made + "/" + file), file);
    fs::remove(made + "/" + figure);
    const Outcome again = run("MILESTONE_FAST=1 $KBSIM --bench " + milestone);
    CHECK(again.exit == 0);
    CHECK(again.out == outcome.out);
    CHECK(fs::exists(made + "/" + figure));
  }
  const Outcome unclear = run("MILESTONE_FAST=yes $KBSIM --bench milestone-1h-gemm");
  CHECK(unclear.exit == 2);
  CHECK_MESSAGE(says(unclear.err, "MILESTONE_FAST=yes in the environment: expected 0 or 1"), unclear.err);
}

}  // namespace kbsim::contract::checklist_benches_test
