// --bench llm: tables, files, explanations and mappings of one's own, as a user sees them.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::llm_bench_test {

using namespace kbsim::test;

namespace {

const std::string kSmall = "--topology small.yaml --bench llm --prompt 20 --timing-only";

boost::json::array rows_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return boost::json::parse(outcome.out).at("rows").as_array();
}

double sum_of_paths(const boost::json::value& row) {
  double sum = row.at("between_us").to_number<double>();
  for (const auto& operation : row.at("operations").as_array())
    sum += operation.at("path_us").to_number<double>();
  return sum;
}

void check_contains(const std::string& text, const std::vector<std::string>& words) {
  CAPTURE(text);
  const std::string sentences = unwrapped(text);
  for (const std::string& word : words)
    CHECK_MESSAGE((text.find(word) != std::string::npos || sentences.find(word) != std::string::npos), word);
}

}  // namespace

TEST_CASE("--bench llm: paths sum to TTFT and TPOT, and each operation has its bytes and its roofline") {
  const boost::json::array rows = rows_of(kSmall);
  REQUIRE(rows.size() == 2);
  CHECK(sum_of_paths(rows[0]) == doctest::Approx(rows[0].at("ttft_us").to_number<double>()).epsilon(1e-9));
  CHECK(sum_of_paths(rows[1]) == doctest::Approx(rows[1].at("tpot_us").to_number<double>()).epsilon(1e-9));
  for (const auto& row : rows) {
    for (const auto& operation : row.at("operations").as_array()) {
      CHECK(operation.at("roofline_us").to_number<double>() <= operation.at("span_us").to_number<double>());
      CHECK(operation.at("reread_bytes").to_number<double>() >= 0.0);
      CHECK_FALSE(operation.as_object().contains("limited_by"));
    }
    CHECK(row.at("sums").as_array().size() == 3);
    CHECK(row.at("choices").as_array().size() == 4);
  }
}

TEST_CASE("--bench llm --phase mixed: one step, whose paths sum to its time") {
  const std::string mixed =
      "--topology small.yaml --bench llm --timing-only --phase mixed --prompt 8 --batch 3 ";
  const boost::json::array rows = rows_of(mixed + "--context 20");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("rows").as_int64() == 11);
  CHECK(rows[0].at("ttft_us").is_null());
  CHECK(sum_of_paths(rows[0]) == doctest::Approx(rows[0].at("step_us").to_number<double>()).epsilon(1e-9));
  const Outcome text = run_kbsim(mixed + "--context 20 --drawn-contexts 4-30");
  CHECK(text.exit == 0);
  check_contains(text.out, {"11 rows of a chunk of 8 and 3 sequences after ", "  a mixed step "});
}

TEST_CASE("--bench llm --context N --phase prefill: a later chunk of a prompt takes longer") {
  const auto ttft = [](const std::string& context) {
    return rows_of("--topology small.yaml --bench llm --timing-only --phase prefill --prompt 16 " +
                   context)[0]
        .at("ttft_us")
        .to_number<double>();
  };
  CHECK(ttft("--context 400") > ttft(""));
}

TEST_CASE("--bench llm --out: operations.csv has a line for each, and figures show time and roofline") {
  const std::filesystem::path folder = fresh_place("llm_bench");
  const Outcome outcome = run_kbsim(kSmall + " --out " + folder.string());
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  const std::string table = contents(folder / "operations.csv");
  CHECK(table.starts_with("phase,operation,mapping,launches,span_us,path_us,share,flop,hbm_bytes,"));
  CHECK(std::ranges::count(table, '\n') == 1 + 11 + 10);
  for (const char* figure : {"llm_time", "llm_roofline"}) {
    CHECK(std::filesystem::exists(folder / (std::string{figure} + ".csv")));
    CHECK(std::filesystem::exists(folder / (std::string{figure} + ".gp")));
  }
  check_contains(contents(folder / "llm_time.csv"),
                 {"phase,embedding,input norm,", ",between operations\n", "\nprefill,", "\ndecode,"});
  check_contains(contents(folder / "llm_roofline.csv"), {"prefill qkv,", "decode attention,"});
}

TEST_CASE(
    "--bench llm --model: prefill and decode of layer norms and biases are right, and --reuse prints them") {
  const std::filesystem::path folder = fresh_place("llm_reused");
  const std::string model = written(
      "starcoder.json",
      R"({"model_type": "starcoder2", "hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2,
          "intermediate_size": 64, "hidden_act": "gelu", "layer_norm_eps": 1e-5, "vocab_size": 100,
          "num_hidden_layers": 1})");
  const std::string command =
      "--topology small.yaml --bench llm --quiet --prompt 8 --model " + model + " --out " + folder.string();
  const Outcome outcome = run_kbsim(command);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::value summary = boost::json::parse(contents(folder / "summary.json"));
  REQUIRE(summary.at("rows").as_array().size() == 2);
  for (const auto& row : summary.at("rows").as_array()) CHECK(row.at("correct").as_bool());
  CHECK(run_kbsim(command + " --reuse").out == outcome.out);
}

// Here a write to a TCM is served after a read that arrived at the same time.
TEST_CASE("--bench llm --explain: a write that a memory puts off keeps its causes") {
  const std::string model =
      written("one_token.json",
              R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 1, "head_dim": 32,
          "intermediate_size": 128, "num_hidden_layers": 1, "vocab_size": 1, "torch_dtype": "float32"})");
  (void)rows_of(
      "--topology small.yaml --bench llm --mapping columns --batch 2 --phase prefill --prompt 64 "
      "--timing-only --explain --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=3 "
      "--set cube.pe_layout.pe_per_corner=2 --model " +
      model);
}

TEST_CASE("--bench llm --model: without options, prompt and context leave positions for what is decoded") {
  const std::string gpt2 = "--topology topology.yaml --bench llm --dry-run --model " KBSIM_SOURCE_DIR
                           "/test/models/configs/gpt2.json ";
  check_contains(run_kbsim(gpt2 + "--phase decode").out,
                 {" --context 1023: the model has 1024 positions (max_position_embeddings)\n",
                  "in f16 (assumed, no torch_dtype): a PE has "});
  check_contains(run_kbsim(gpt2 + "--phase mixed").out, {" --context 512: the model has 1024 positions"});
  const Outcome both = run_kbsim(gpt2 + "--weights bf16");
  CHECK(both.exit == 0);
  CHECK(both.out.find("max_position_embeddings") == std::string::npos);
  check_contains(both.out, {"in bf16: a PE has "});
  const std::string keys = R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
    "num_hidden_layers": 1, "vocab_size": 256, "max_position_embeddings": )";
  const std::string few = "--topology small.yaml --bench llm --timing-only --model " +
                          written("few_positions.json", keys + "100}") + " ";
  for (const char* phase : {"prefill", "decode", "both", "mixed"})
    CHECK(run_kbsim(few + "--dry-run --phase " + phase).exit == 0);
  check_contains(run_kbsim(few).out, {" prefill on ", " after 99 tokens, f16 (assumed, no torch_dtype), "});
  CHECK(run_kbsim(few + "--phase prefill --context 99").exit == 0);
  CHECK(run_kbsim(few + "--phase both --context 99").exit == 2);
}

TEST_CASE("--bench llm --explain: each operation says what limits it, with a key and its derivative") {
  for (const auto& row : rows_of(kSmall + " --explain")) {
    for (const auto& operation : row.at("operations").as_array()) {
      CHECK_FALSE(operation.at("limited_by").as_string().empty());
      CHECK_FALSE(operation.at("limiting_key").as_string().empty());
      CHECK(operation.at("limiting_key_ns_per_unit").to_number<double>() != 0.0);
    }
    CHECK_FALSE(row.at("between").at("limited_by").as_string().empty());
  }
  check_contains(run_kbsim(kSmall + " --explain").out,
                 {"\n --of row:N prints the critical path of phase N, 1 to 2\n"});
  check_contains(run_kbsim(kSmall + " --explain --of row:2").out,
                 {"critical path of row:2, decode of 1 layer with embedding and head", "limited by"});
}

TEST_CASE("--bench llm --mapping FILE: overrules products; mistakes have their lines") {
  const std::filesystem::path file = fresh_place("mapping.yaml");
  std::ofstream{file} << "default: columns\noperations:\n  gate/up: blocks\n";
  const boost::json::array rows = rows_of(kSmall + " --mapping " + file.string());
  for (const auto& choice : rows[0].at("choices").as_array()) {
    const bool overruled = choice.at("operation").as_string() == "gate/up";
    CHECK(choice.at("mapping").as_string() == (overruled ? "blocks" : "columns"));
  }
  std::ofstream{file} << "default: columns\noperations:\n  gates: blocks\n  down: depth\n";
  const Outcome outcome = run_kbsim(kSmall + " --mapping " + file.string());
  CHECK(outcome.exit == 2);
  check_contains(outcome.err, {"mapping.yaml:3:3: operations.gates: unknown operation",
                               "mapping.yaml:4:9: operations.down: unknown mapping 'depth'"});
}

TEST_CASE("--bench llm: a plug-in's mapping computes what the undivided model does") {
  const std::string plugin = " --plugin " KBSIM_BINARY "/contract/plugins/plugin_my_mapping.so";
  const Outcome outcome = run_kbsim("--topology small.yaml --bench llm --prompt 20 --mapping depth" + plugin);
  CHECK(outcome.exit == 0);
  check_contains(outcome.out, {"mapping depth", "logits: as the undivided model's in f64"});
  CHECK(outcome.out.find("WRONG") == std::string::npos);
}

}  // namespace kbsim::contract::llm_bench_test
