// Benches as the user's documents name and check them.
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

}  // namespace kbsim::contract::checklist_benches_test
