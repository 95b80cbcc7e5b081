// Options of --bench llm that divide a model over packages.
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::llm_divisions_test {

using namespace kbsim::test;

namespace {

const std::string kSmall =
    "--topology topology.yaml --set sip.cube_mesh.w=2 --set sip.cube_mesh.h=1 "
    "--set cube.pe_layout.pe_per_corner=1 --bench llm --quiet ";

const std::string kDecode = "--tp 2 --phase decode --context 16 --json";

void refuses_division(const std::string& arguments, int exit, const std::string& text) {
  const Outcome outcome = run_kbsim(kSmall + arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == exit);
  CHECK(outcome.err.find(text) != std::string::npos);
}

bool has_text(const std::string& all, const std::string& text) { return all.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("--bench llm: a model on two packages is right, and the head says which packages run") {
  for (const char* division :
       {"--tp 2 --prompt 16", "--tp 2 --prompt 16 --sequence-parallel --phase prefill"}) {
    CAPTURE(division);
    const Outcome outcome = run_kbsim(kSmall + division);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(has_text(outcome.out, "packages 0 to 1 run: --tp 2"));
    CHECK(has_text(outcome.out, "as the undivided model's in f64"));
    CHECK(!has_text(outcome.out, "WRONG"));
  }
}

TEST_CASE("--bench llm: the all-reduce is the tuner's choice, or the named one") {
  const Outcome chosen = run_kbsim(kSmall + kDecode);
  const Outcome named = run_kbsim(kSmall + kDecode + " --algorithm tree_allreduce");
  REQUIRE_MESSAGE(named.exit == 0, named.err);
  const auto tpot = [](const Outcome& of) {
    return boost::json::parse(of.out).at("rows").at(0).at("tpot_us").to_number<double>();
  };
  CHECK(tpot(chosen) <= tpot(named));
}

TEST_CASE("--bench llm: divisions that can't be end with their numbers and the remedy") {
  refuses_division("--tp 4", 2, "--tp 4 --pp 1 --dp 1: they need 4 packages, the machine has 2");
  refuses_division("--ep 2", 5, "--ep 2: a model whose experts are divided isn't simulated");
  refuses_division("--pp 2", 2, "--pp 2: a stage has one layer at least, the model has 1");
  refuses_division("--dp 2", 2, "--dp 2: it doesn't divide the sequences, --batch 1 (--batch 2)");
  refuses_division("--sequence-parallel", 2, "which is 1");
  refuses_division("--algorithm tree_allreduce", 2, "it runs no collective without --tp or --pp");
  refuses_division("--set ccl.defaults.n_slots=8", 2, "it runs no collective without --tp or --pp");
  refuses_division("--ccl ccl.yaml", 2, "it runs no collective without --tp or --pp");
  refuses_division("--tp 2 --algorithm ring_all_gather", 2, "it is no all-reduce");
  refuses_division("--tp 2 --algorithm hierarchical_allreduce", 2, "it is no all-reduce");
}

}  // namespace kbsim::contract::llm_divisions_test
