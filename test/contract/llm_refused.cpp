// --bench llm refuses what is wrong or isn't simulated before anything runs: exit code, place, remedy.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::llm_refused_test {

using namespace kbsim::test;

namespace {

const std::string kBench = "--topology topology.yaml --bench llm --timing-only ";
const std::string kDecode = kBench + "--phase decode ";
const std::string kModels = KBSIM_SOURCE_DIR "/test/models/configs/";

struct Refusal {
  std::string arguments;
  std::string says;
};

void check_refused(int exit, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    CAPTURE(refusal.arguments);
    const Outcome outcome = run_kbsim(refusal.arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == exit);
    CHECK(outcome.out.empty());
    CHECK_MESSAGE(outcome.err.find(refusal.says) != std::string::npos, refusal.says);
  }
}

// A small LLaMA with these keys more, or in place of its own; a file for each.
std::string model(const std::string& keys, const std::string& heads = R"("num_attention_heads": 4)") {
  static int files = 0;
  const bool layers = keys.find("num_hidden_layers") != std::string::npos;
  return kBench + "--model " +
         written(std::to_string(++files) + "config.json",
                 R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,)"
                 "\n \"vocab_size\": 256, " +
                     heads + (layers ? "" : R"(, "num_hidden_layers": 1)") + ",\n " + keys + "}\n");
}

}  // namespace

TEST_CASE("llm refused: a model's file that isn't there, isn't JSON or isn't an object") {
  check_refused(
      2, {{kBench + "--model nowhere.json", "nowhere.json: no such file"},
          {kBench + "--model " + written("broken.json", "{\"hidden_size\": 64,\n \"vocab"), "broken.json:2:"},
          {kBench + "--model " + written("list.json", "[1]"), "list.json: not an object of keys"}});
}

TEST_CASE("llm refused: sizes that are no sizes, or don't divide, with their place") {
  check_refused(2,
                {{model(R"("num_hidden_layers": 0)"), "config.json:3:23: num_hidden_layers is 0, expected"},
                 {model(R"("num_hidden_layers": -2)"), "config.json:3:23: num_hidden_layers is -2, expected"},
                 {model(R"("num_key_value_heads": 3)"),
                  "num_attention_heads (4) must be divisible by num_key_value_heads (3)"},
                 {model("\"head_dim\": 15"), "config.json:3:14: 15 elements"},
                 {model("\"head_dim\": \"many\""), "head_dim is \"many\", expected"},
                 {model("\"rms_norm_eps\": -1"), "rms_norm_eps is -1, expected"},
                 {model("\"num_hidden_layers\": 2", "\"num_attention_heads\": 5"),
                  "hidden_size (64) must be divisible"}});
}

TEST_CASE("llm refused: keys that change what is computed and aren't simulated, with their place") {
  check_refused(5,
                {{model("\"final_logit_softcapping\": 30.0"), "config.json:3:"},
                 {model("\"attn_logit_softcapping\": 50.0"), "config.json:3:"},
                 {model("\"num_experts\": 8"), "num_experts"},
                 {model("\"a_new_kind_of_norm\": true"), "config.json:3:"},
                 {model("\"torch_dtype\": \"float8_e4m3fn\""), "config.json:3:"},
                 {model("\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4.0}"), "config.json:3:"}});
}

TEST_CASE("llm refused: numbers of options out of range") {
  check_refused(2, {{kBench + "--prompt 0", "--prompt"},
                    {kBench + "--prompt -4", "--prompt"},
                    {kBench + "--batch 0", "--batch"},
                    {kBench + "--batch 257", "--batch"},
                    {kDecode + "--context 0", "--context"},
                    {kBench + "--seed -1", "--seed"},
                    {kBench + "--layers 0", "--layers 0: expected 1 to 1"},
                    {kBench + "--layers 2", "--layers 2: the model has 1"}});
}

TEST_CASE("llm refused: options without an effect, or that say one thing twice") {
  check_refused(
      2, {{kDecode + "--prompt 8", "--prompt: a decode alone has no prompt"},
          {kBench + "--drawn-contexts 1-8", "--drawn-contexts: a prefill has --context tokens before it"},
          {kDecode + "--context 8 --drawn-contexts 1-8", "--context and --drawn-contexts"}});
}

TEST_CASE("llm refused: contexts that a file doesn't have") {
  const std::string two = written("two.csv", "name,context\na,5\nb,many\n");
  check_refused(2,
                {{kDecode + "--contexts " + two, "two.csv:3:3: found 'many', expected a whole number"},
                 {kDecode + "--drawn-contexts 9-2", "--drawn-contexts: found '9-2', expected a range"},
                 {kDecode + "--contexts nowhere.csv", "nowhere.csv: no such file"},
                 {kDecode + "--batch 3 --contexts " + written("few.txt", "5\n6\n"),
                  "few.txt:2:1: the last one of 2 contexts, expected 3 (--batch)"},
                 {kDecode + "--model " + kModels + "gpt2.json --contexts " + written("long.txt", "5\n1024\n"),
                  "long.txt:2:1: found '1024', expected a whole number from 1 to 1023 (the model has 1024"},
                 {kDecode + "--model " + kModels + "gpt2.json --drawn-contexts 9-1024",
                  "--drawn-contexts: found '9-1024'"}});
}

TEST_CASE("llm refused: unknown names, with the nearest one") {
  check_refused(
      2, {{kBench + "--mapping column", "did you mean 'columns'?"},
          {kBench + "--mapping foo", "--mapping: unknown mapping 'foo' (known: blocks, columns, auto)"},
          {kBench + "--mapping aut", "did you mean 'auto'?"},
          {kBench + "--on cubes", "--on"},
          {kBench + "--phase prefil", "--phase"},
          {kBench + "--weights bf61", "--weights: unknown format 'bf61', did you mean 'bf16'?"}});
}

TEST_CASE("llm refused: formats of fewer than 16 bits, and a cache of another format") {
  check_refused(5, {{kBench + "--weights fp8", "--weights fp8: formats of fewer than 16 bits"},
                    {kBench + "--kv int8", "--kv int8: formats of fewer than 16 bits"},
                    {kBench + "--kv f32", "--kv f32: only a cache of the weights' dtype"}});
}

TEST_CASE("llm refused: more positions than the model has") {
  const std::string gpt2 = "--model " + kModels + "gpt2.json ";
  check_refused(
      2, {{kDecode + gpt2 + "--context 1024",
           "--context 1024: 1025 positions of a sequence, and the model has 1024 "
           "(max_position_embeddings)"},
          {kBench + gpt2 + "--prompt 1024", "--prompt 1024: 1025 positions"},
          {model("\"max_position_embeddings\": 100") + " --prompt 512", "--prompt 512: 513 positions"}});
}

TEST_CASE("llm refused: a model that no HBM holds, with the tensor, what it lacks and what makes it fit") {
  const std::string run = kBench + "--model " + kModels + "Llama-3.1-8B.json --prompt 16 --dry-run ";
  const std::string small = run + "--set cube.memory.hbm_bytes_per_pe=64MiB ";
  const Outcome outcome = run_kbsim(small);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find("no room for layer 1") != std::string::npos);
  CHECK(outcome.err.find("too many; --layers 1") != std::string::npos);
  const std::size_t setting = outcome.err.find("cube.memory.hbm_bytes_per_pe=");
  REQUIRE(setting != std::string::npos);
  const std::string remedy = outcome.err.substr(setting, outcome.err.find(' ', setting) - setting);
  CHECK(run_kbsim(run + "--set " + remedy).exit == 0);
}

TEST_CASE("llm refused: rows that no TCM holds, with the tensor, what it lacks and what makes it fit") {
  const std::string run = kBench + "--model " + kModels + "Llama-3.1-8B.json --layers 1 ";
  const std::string remedy = "a shorter --prompt or more cube.memory.tcm_bytes make it fit";
  check_refused(2, {{run + "--prompt 65536", "no room for prefill "},
                    {run + "--prompt 65536", remedy},
                    {run + "--prompt 1024 --batch 64",
                     "a shorter --prompt, a smaller --batch or more cube.memory.tcm_bytes make it fit"},
                    {kBench + "--set cube.memory.tcm_bytes=5MiB --prompt 8192", remedy},
                    {kDecode + "--set cube.memory.tcm_bytes=5MiB --batch 256",
                     "too many; a smaller --batch or more cube.memory.tcm_bytes make it fit"}});
}

TEST_CASE("llm refused: memories under 1 MiB, in units that say what is missing") {
  check_refused(2, {{kBench + "--set cube.memory.hbm_bytes_per_pe=24KiB", "of 24.0 KiB, "},
                    {kBench + "--set cube.memory.hbm_bytes_per_pe=512", "of 512 B, "}});
}

TEST_CASE("llm refused: weights without room name what makes weights smaller, caches what shortens them") {
  const std::string wide = model(R"("num_hidden_layers": 4, "head_dim": 4096)");
  const std::string little = " --set cube.memory.hbm_bytes_per_pe=1MiB ";
  const Outcome weights =
      run_kbsim(kBench + "--model " + kModels + "Llama-3.1-8B.json --weights f32 --batch 2" + little);
  CAPTURE(weights.err);
  CHECK(weights.exit == 2);
  for (const char* part :
       {"no room for embedding", "more --tp or --pp", "--weights bf16", "cube.memory.hbm_bytes_per_pe="})
    CHECK_MESSAGE(weights.err.find(part) != std::string::npos, part);
  for (const char* part : {"--batch", "--context", "--prompt"})
    CHECK_MESSAGE(weights.err.find(part) == std::string::npos, part);
  check_refused(2,
                {{wide + " --phase decode --context 4096 --batch 8" + little,
                  "too many; a shorter --context, a smaller --batch, more --tp or --pp or "},
                 {wide + " --phase decode --batch 2 --contexts " + written("far.txt", "9\n9000\n") + little,
                  "shorter --contexts"}});
}

TEST_CASE("llm refused: sizes up to 2^20 by the memory that they don't fit") {
  const std::string sizes = R"({"model_type": "llama", "hidden_size": 1048576, "intermediate_size": 1048576,
    "num_hidden_layers": 1024, "vocab_size": 1048576, "num_key_value_heads": 1, "num_attention_heads": )";
  int files = 0;
  for (const std::string heads : {R"(1, "head_dim": 2})", R"(1, "head_dim": 1048576})",
                                  R"(1048576, "head_dim": 2})", R"(1048576, "head_dim": 1048576})"}) {
    const std::string large =
        kBench + "--dry-run --model " + written(std::to_string(++files) + "large.json", sizes + heads);
    for (const char* phase : {" --phase decode", " --prompt 65536", " --batch 256 --prompt 65536"})
      check_refused(2, {{large + phase, "--model: no room for "}});
  }
}

TEST_CASE("llm refused: queues without room in TCM, and slots that hold no element, by their key") {
  check_refused(2,
                {{kBench + "--set cube.memory.tcm_bytes=4100KiB", "cube.memory.tcm_bytes: the queues of "},
                 {kBench + "--tp 2 --weights f32 --set ccl.defaults.slot_size=2",
                  "holds no element of f32; ccl.defaults.slot_size=4 or more"},
                 {kBench + "--tp 2 --set ccl.defaults.slot_size=8MiB", "lower ccl.defaults.slot_size or "}});
}

TEST_CASE("llm refused: queues between packages that have no room in HBM or SRAM, by --dry-run, too") {
  const std::string two =
      "--topology small.yaml --bench llm --timing-only --phase decode --context 1 --tp 2 "
      "--set system.sips.count=2 ";
  const std::string hbm = two + "--set cube.memory.hbm_bytes_per_pe=64KiB --buffer-kind hbm ";
  const std::string sram = two + "--set cube.memory.sram_bytes=100KiB --buffer-kind sram ";
  for (const char* dry : {"", "--dry-run"})
    check_refused(2, {{hbm + dry, "in a PE's HBM: all tensors take "},
                      {sram + dry, "of a cube's SRAM, 100 KiB; fewer or smaller slots"}});
}

TEST_CASE("llm refused: settings of parts that it doesn't use") {
  check_refused(2, {{kBench + "--set system.sips.link.bw_gbs=3", "without --tp, --pp or --dp"},
                    {kBench + "--set cube.sram.bw_gbs=3", "no tensor lies there"}});
}

TEST_CASE("llm refused: --verify-repeats where nothing is repeated") {
  check_refused(2, {{"--topology topology.yaml --bench llm --verify-repeats", "it needs --timing-only"},
                    {kBench + "--verify-repeats --shuffle-ties 3", "with --shuffle-ties nothing is repeated"},
                    {kBench + "--verify-repeats --set system.sips.count=2 --pp 2", "in the stages of --pp"}});
}

}  // namespace kbsim::contract::llm_refused_test
