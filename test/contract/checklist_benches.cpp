// Benches as the user's documents name and check them.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

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
  CHECK(says(rows.out, "dst [128, 1024] ok"));
  const Outcome columns = run_kbsim(kBench + "va_offset_verify_columns --verify-data");
  CHECK(columns.exit == 0);
  CHECK(says(columns.out, "va_offset_verify_columns: 128 of 128 PEs copied their own 1024 elements"));
  CHECK(says(columns.out, "dst [32, 4096] ok"));
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

TEST_CASE("checklist 26: the milestones need nothing but their names; MILESTONE_FAST=1 takes what is there") {
  namespace fs = std::filesystem;
  const std::string folder = written("milestones", "") + ".d";
  fs::create_directory(folder);
  const auto run = [&](const std::string& command) { return run_script("cd " + folder + " && " + command); };
  const std::string few = " --quiet --buffer-kind tcm";
  for (const auto& [milestone, made, figure] :
       {std::tuple{std::string{"milestone-1h-gemm --quiet"}, folder + "/1H_milestone_output/gemm",
                   "gemm_mac_utilization_simulated.csv"},
        {"milestone-1h-ccl" + few, folder + "/1H_milestone_output/ccl", "ccl_latency_ring_1d.csv"}}) {
    CAPTURE(milestone);
    const Outcome refused = run("MILESTONE_FAST=1 $KBSIM --bench " + milestone);
    CHECK(refused.exit == 2);
    CHECK_MESSAGE(says(refused.err, "--reuse: no 1H_milestone_output/"), refused.err);
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
  CHECK(run("$KBSIM --bench ccl_allreduce").exit == 2);  // of other benches the machine is asked for
}

}  // namespace kbsim::contract::checklist_benches_test
