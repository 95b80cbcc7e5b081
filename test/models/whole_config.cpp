// Keys of a whole model: embedding, positions, windows by layer, multipliers and head.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::models::whole_config_test {
namespace {

std::string written(const std::string& keys) {
  const std::string file = (std::filesystem::temp_directory_path() / "kbsim-whole-model.json").string();
  std::ofstream{file} << "{" << keys << "}";
  return file;
}

// A whole model with the family's name.
std::string keys_of(const std::string& family, const std::string& more = "") {
  return fmt::format(R"("model_type": "{}", "hidden_size": 64, "num_attention_heads": 4,
"intermediate_size": 128, "num_hidden_layers": 4, "vocab_size": 100{}{})",
                     family, more.empty() ? "" : ",\n", more);
}

ModelConfig whole(const std::string& family, const std::string& more = "") {
  return read_model_config(written(keys_of(family, more)));
}

template <class Refusal>
void refuses_whole(const std::string& family, const std::string& more, const std::string& why) {
  CAPTURE(more);
  CHECK_THROWS_WITH_AS((void)whole(family, more), doctest::Contains(why.c_str()), Refusal);
}

std::vector<std::int64_t> windows(const ModelConfig& model) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < model.num_hidden_layers; ++i) all.push_back(model.layer_kind(i).window);
  return all;
}

std::vector<bool> turning(const ModelConfig& model) {
  std::vector<bool> all;
  for (std::int64_t i = 0; i < model.num_hidden_layers; ++i) all.push_back(model.layer_kind(i).rotary);
  return all;
}

using Windows = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("read_model_config: a whole model needs its vocabulary") {
  CHECK(whole("llama").vocab_size == 100);
  CHECK_THROWS_WITH_AS((void)read_model_config(
                           written(R"("hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 1)")),
                       doctest::Contains("vocab_size is missing"), UsageError);
  CHECK_THROWS_WITH_AS((void)read_model_config(written("\"hidden_size\": 64, \"num_attention_heads\": 4, "
                                                       "\"num_hidden_layers\": 1,\n\"vocab_size\": \"x\"")),
                       doctest::Contains(".json:2:15: vocab_size is \"x\", expected a whole number"),
                       UsageError);
}

TEST_CASE("read_model_config: the vocabulary may stand beside the text part") {
  const std::string part =
      R"("text_config": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
"num_hidden_layers": 1})";
  const ModelConfig model =
      read_model_config(written(R"("vocab_size": 9, "tie_word_embeddings": true, )" + part));
  CHECK(model.vocab_size == 9);
  CHECK(model.tie_word_embeddings);
}

TEST_CASE("read_model_config: a head is tied as the file says, or the family") {
  CHECK(!whole("llama").tie_word_embeddings);
  CHECK(whole("llama", R"("tie_word_embeddings": true)").tie_word_embeddings);
  CHECK(whole("gemma").tie_word_embeddings);
  CHECK(!whole("gemma", R"("tie_word_embeddings": false)").tie_word_embeddings);
  CHECK(whole("starcoder2").tie_word_embeddings);
  CHECK(whole("gptj").head_bias);
  CHECK(whole("phi").head_bias);
  CHECK(!whole("llama").head_bias);
}

TEST_CASE("read_model_config: learned positions have a row for each position, in OPT two more") {
  const ModelConfig gpt2 = whole("gpt2", R"("n_positions": 1024)");
  CHECK(gpt2.positions == Positions::learned);
  CHECK(gpt2.position_rows == 1024);
  CHECK(gpt2.first_position_row == 0);
  const ModelConfig opt = whole("opt", R"("max_position_embeddings": 2048, "word_embed_proj_dim": 64)");
  CHECK(opt.position_rows == 2050);
  CHECK(opt.first_position_row == 2);
  CHECK(opt.final_norm);
  CHECK(!whole("opt", R"("max_position_embeddings": 8, "_remove_final_layer_norm": true)").final_norm);
  refuses_whole<UsageError>("gpt2", "", "n_positions is missing");
  refuses_whole<Unsupported>("opt", R"("max_position_embeddings": 8, "word_embed_proj_dim": 32)",
                             ".json:3:54: an embedding of another width (word_embed_proj_dim)");
}

TEST_CASE("read_model_config: positions are a whole number from 1 on, under each name") {
  CHECK(whole("llama").max_positions == 0);
  CHECK(whole("llama", R"("max_position_embeddings": 4194304)").max_positions == 4194304);
  for (const char* key : {"max_position_embeddings", "n_positions", "n_ctx"}) {
    for (const char* value : {"0", "-1", "[]", "[8]", "1.5", "\"8\""})
      refuses_whole<UsageError>("llama", fmt::format("\"{}\": {}", key, value),
                                fmt::format(".json:3:{}: {} is ", std::string_view{key}.size() + 5, key));
  }
  refuses_whole<UsageError>("gpt2", R"("n_positions": 1024, "n_ctx": 512)", "which are names of one key");
}

TEST_CASE("read_model_config: empty lists are no sizes, counts or kinds of layers") {
  for (const char* key : {"kv_lora_rank", "sliding_window", "num_experts", "layer_types"})
    refuses_whole<UsageError>("llama", fmt::format("\"hidden_act\": \"silu\",\n\"{}\": []", key), key);
}

TEST_CASE("read_model_config: the part of a head that turns") {
  CHECK(whole("llama").rope.dims == 16);
  CHECK(whole("llama", R"("partial_rotary_factor": 0.25)").rope.dims == 4);
  CHECK(whole("phi").rope.dims == 8);
  CHECK(whole("gpt_neox").rope.dims == 4);
  CHECK(whole("gpt_neox", R"("rotary_pct": 1.0)").rope.dims == 16);
  CHECK(whole("gptj", R"("rotary_dim": 8)").rope.dims == 8);
  CHECK(whole("gptj").rope.dims == 16);
  CHECK(whole("gptj").rope.interleaved);
  CHECK(!whole("llama").rope.interleaved);
  for (const char* part : {"0.2", "0.0", "1.5", "1e300"})
    refuses_whole<UsageError>("llama", fmt::format("\"partial_rotary_factor\": {}", part),
                              "elements of a head of 16 turn by its position: expected an even number");
  refuses_whole<UsageError>("llama", R"("partial_rotary_factor": 0.2)", ".json:3:26: 3 elements");
  refuses_whole<UsageError>("llama", R"("head_dim": 15)", ".json:3:13: 15 elements of a head of 15");
  refuses_whole<UsageError>("gptj", R"("rotary_dim": 3)", ".json:3:15: 3 elements");
  refuses_whole<UsageError>("llama", R"("rope_parameters": {"partial_rotary_factor": 0.2})",
                            ".json:3:46: 3 elements");
}

TEST_CASE("read_model_config: theta, beside the scaling or within rope_parameters") {
  CHECK(whole("llama").rope.theta == 10000.0);
  CHECK(whole("llama", R"("rope_theta": 500000)").rope.theta == 500000.0);
  CHECK(whole("gpt_neox", R"("rotary_emb_base": 50000)").rope.theta == 50000.0);
  const ModelConfig newer = whole("llama", R"("rope_parameters": {"rope_type": "linear", "factor": 2.5,
    "rope_theta": 7.0, "partial_rotary_factor": 0.5})");
  CHECK(newer.rope.theta == 7.0);
  CHECK(newer.rope.dims == 8);
  CHECK(newer.rope.scaling == RopeScaling::linear);
  CHECK(newer.rope.factor == 2.5);
  refuses_whole<UsageError>("llama", R"("rope_theta": 0)", ".json:3:15: rope_theta is 0, expected more");
  refuses_whole<UsageError>("llama", R"("rope_parameters": {"rope_theta": 0.0})",
                            ".json:3:35: rope_theta is 0");
  CHECK(whole("llama", R"("rope_theta": 7, "rope_parameters": {"rope_theta": 7.0})").rope.theta == 7.0);
  refuses_whole<UsageError>("llama", R"("rope_theta": 500000, "rope_parameters": {"rope_theta": 1e4})",
                            ".json:3:57: rope_parameters.rope_theta is 10000, but rope_theta is 500000");
  refuses_whole<UsageError>("llama", R"("rotary_pct": 1, "rope_scaling": {"partial_rotary_factor": 0.5})",
                            "rope_scaling.partial_rotary_factor is 0.5, but rotary_pct is 1");
  refuses_whole<UsageError>("llama", R"("rope_scaling": {"rope_type": "default", "type": "linear"})",
                            "rope_scaling.type is 'linear', but rope_scaling.rope_type is 'default'");
  refuses_whole<UsageError>("llama", R"("rope_theta": "big")", ".json:3:15: rope_theta is \"big\"");
}

TEST_CASE(
    "read_model_config: scalings of rotary positions that aren't simulated are refused with their place") {
  CHECK(whole("llama", R"("rope_scaling": {"type": "default"})").rope.scaling == RopeScaling::none);
  for (const char* kind : {"yarn", "dynamic", "longrope", "su", "mrope"})
    refuses_whole<Unsupported>("qwen2",
                               fmt::format(R"("rope_scaling": {{"type": "{}", "factor": 4.0}})", kind),
                               fmt::format(".json:3:26: rope_scaling.type {} isn't simulated", kind));
  refuses_whole<Unsupported>("llama",
                             R"("rope_scaling": {"rope_type": "linear", "factor": 2, "short_factor": [1]})",
                             "key 'rope_scaling.short_factor' isn't known");
  refuses_whole<UsageError>("llama", R"("rope_scaling": {"rope_type": "linear"})",
                            ".json:3:17: rope_scaling.factor is missing");
  refuses_whole<UsageError>("llama", R"("rope_scaling": {"rope_type": "linear", "factor": 0})",
                            "rope_scaling.factor is 0, expected more");
  refuses_whole<UsageError>("llama", R"("rope_scaling": {"rope_type": 3})",
                            "rope_scaling.rope_type is 3, expected a text");
  refuses_whole<UsageError>("llama", R"("rope_scaling": "linear")",
                            "rope_scaling is \"linear\", expected an object");
  refuses_whole<UsageError>("llama",
                            R"("rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
    "high_freq_factor": 1, "original_max_position_embeddings": 8192})",
                            "low_freq_factor (4) must be less than high_freq_factor (1)");
}

TEST_CASE("read_model_config: windows of all layers, of the last ones, or by their kinds") {
  CHECK(windows(whole("mistral", R"("sliding_window": 32)")) == Windows{32, 32, 32, 32});
  CHECK(windows(whole("mistral", R"("sliding_window": null)")) == Windows{0, 0, 0, 0});
  const std::string qwen = R"("sliding_window": 32, "use_sliding_window": true, "max_window_layers": )";
  CHECK(windows(whole("qwen2", qwen + "3")) == Windows{0, 0, 0, 32});
  CHECK(windows(whole("qwen2", qwen + "4")) == Windows{0, 0, 0, 0});
  CHECK(windows(whole("ministral", R"("sliding_window": 16, "layer_types": ["full_attention",
    "sliding_attention", "sliding_attention", "full_attention"])")) == Windows{0, 16, 16, 0});
  CHECK(windows(whole("mistral", R"("sliding_window": 16, "sliding_window_pattern": 2)")) ==
        Windows{16, 0, 16, 0});
  const std::string neo = R"("max_position_embeddings": 512, "window_size": 64)";
  CHECK(windows(whole("gpt_neo", neo)) == Windows{0, 64, 0, 64});
  CHECK(windows(
            whole("gpt_neo", neo + R"(, "attention_types": [[["local", "local", "global", "local"], 1]])")) ==
        Windows{64, 64, 0, 64});
  CHECK(windows(whole("gpt_neo", neo + R"(, "attention_layers": ["local", "global", "global", "global"])")) ==
        Windows{64, 0, 0, 0});
  CHECK(whole("gpt_neo", neo).attention_scale == 1.0);
}

TEST_CASE("read_model_config: kinds of layers that don't fit the model, or aren't simulated") {
  refuses_whole<UsageError>("llama", R"("sliding_window": 16, "layer_types": ["sliding_attention"])",
                            "layer_types has 1 elements, and the model 4 layers");
  refuses_whole<Unsupported>("llama", R"("attention_chunk_size": 16)",
                             "attention in chunks (attention_chunk_size) isn't simulated");
  refuses_whole<Unsupported>("mistral", R"("sliding_window": [16, 32, 16, 32])",
                             "a list of windows (sliding_window) isn't simulated");
  refuses_whole<Unsupported>("mistral", R"("sliding_window": 16, "interleave_sliding_window": true)",
                             "windows of some layers (interleave_sliding_window) isn't simulated");
  refuses_whole<UsageError>("smollm3", R"("no_rope_layers": [1, 0])",
                            "no_rope_layers has 2 elements, and the model 4 layers");
}

TEST_CASE("read_model_config: layers whose queries and keys don't turn") {
  CHECK(turning(whole("llama")) == std::vector<bool>{true, true, true, true});
  CHECK(turning(whole("smollm3")) == std::vector<bool>{true, true, true, false});
  CHECK(turning(whole("smollm3", R"("no_rope_layer_interval": 2)")) ==
        std::vector<bool>{true, false, true, false});
  CHECK(turning(whole("smollm3", R"("no_rope_layers": [0, 1, 1, 1], "no_rope_layer_interval": 2)")) ==
        std::vector<bool>{false, true, true, true});
}

TEST_CASE("read_model_config: multipliers of embedding, scores, sums and logits") {
  const ModelConfig plain = whole("granite");
  CHECK(!plain.attention_scale);
  CHECK(plain.embedding_multiplier == 1.0);
  CHECK(plain.residual_multiplier == 1.0);
  CHECK(plain.logit_multiplier == 1.0);
  const ModelConfig granite =
      whole("granite", R"("attention_multiplier": 0.015625, "embedding_multiplier": 12.0,
    "residual_multiplier": 0.22, "logits_scaling": 8.0)");
  CHECK(granite.attention_scale == 0.015625);
  CHECK(granite.embedding_multiplier == 12.0);
  CHECK(granite.residual_multiplier == 0.22);
  CHECK(granite.logit_multiplier == 1.0 / 8.0);
  CHECK(whole("cohere").logit_multiplier == 0.0625);
  CHECK(whole("cohere", R"("logit_scale": 0.25)").logit_multiplier == 0.25);
  CHECK(whole("llama", R"("query_pre_attn_scalar": 256)").attention_scale == 1.0 / 16.0);
  CHECK(whole("gpt2", R"("n_positions": 8, "scale_attn_weights": false)").attention_scale == 1.0);
  refuses_whole<UsageError>("granite", R"("logits_scaling": 0)",
                            ".json:3:19: logits_scaling is 0, expected more");
  refuses_whole<UsageError>("granite", R"("residual_multiplier": "x")", "residual_multiplier is \"x\"");
}

TEST_CASE("read_model_config: norms with weights, biases, or neither") {
  CHECK(whole("llama").norm_weight);
  CHECK(!whole("llama").has_norm_bias());
  CHECK(whole("phi").has_norm_bias());
  CHECK(!whole("cohere").has_norm_bias());
  CHECK(whole("cohere").norm_weight);
  CHECK(!whole("olmo").norm_weight);
  CHECK(!whole("olmo").has_norm_bias());
  CHECK(whole("qwen3").qk_norm);
  CHECK(!whole("qwen2").qk_norm);
}

TEST_CASE("read_model_config: a key around the layers that changes numbers is refused with its place") {
  refuses_whole<Unsupported>("falcon", R"("alibi": true)",
                             ".json:3:10: positions by a slope of the scores (alibi)");
  CHECK(whole("falcon", R"("alibi": false)").positions == Positions::rotary);
  for (const auto& [key, value] :
       {std::pair{"final_logit_softcapping", "30.0"}, std::pair{"scale_emb", "12"},
        std::pair{"dim_model_base", "256"}, std::pair{"use_mrope", "true"}, std::pair{"rotary", "false"},
        std::pair{"padded_vocab_size", "128"}, std::pair{"scale_attn_by_inverse_layer_idx", "true"},
        std::pair{"use_qk_norm", "true"}}) {
    const std::string entry = fmt::format("\"{}\": {}", key, value);
    refuses_whole<Unsupported>("llama", entry, fmt::format("({}) isn't simulated", key));
  }
  refuses_whole<Unsupported>("llama", R"("rope_wavelets": 3)", "key 'rope_wavelets' isn't known");
  refuses_whole<Unsupported>("llama", R"("wavelet_depth": 3)", "key 'wavelet_depth' isn't known");
  CHECK(whole("llama", R"("rope_wavelets": null, "attention_dropout": 0.1)").vocab_size == 100);
}

TEST_CASE("read_model_config: families that aren't simulated are refused by name") {
  for (const char* family : {"bloom", "mpt", "baichuan", "cohere2", "chatglm", "olmo2", "gemma2",
                             "gemma3_text", "mixtral", "deepseek_v3", "bert"})
    refuses_whole<Unsupported>(family, "", fmt::format("model_type {}: ", family));
}

TEST_CASE("read_model_config: each known family is read as a whole, or refused by its name") {
  for (const char* family :
       {"llama",  "mistral",  "ministral",       "phi3",    "internlm", "internlm2",  "Yi",
        "aquila", "xverse",   "granite",         "smollm3", "ernie4_5", "starcoder2", "gpt_neox",
        "phi",    "gptj",     "codegen",         "falcon",  "cohere",   "stablelm",   "exaone",
        "qwen2",  "qwen2_vl", "qwen2_5_vl_text", "qwen3",   "gemma",    "olmo"}) {
    CAPTURE(family);
    CHECK(whole(family).positions == Positions::rotary);
  }
  for (const char* family : {"gpt2", "gpt_bigcode", "opt", "gpt_neo"}) {
    CAPTURE(family);
    CHECK(whole(family, R"("max_position_embeddings": 8)").positions == Positions::learned);
  }
}

TEST_CASE("read_model_config: without a model_type a file is LLaMA's, whole") {
  const ModelConfig model =
      read_model_config(written(R"("hidden_size": 64, "num_attention_heads": 4, "vocab_size": 10,
"num_hidden_layers": 1)"));
  CHECK(model.family == kAssumedFamily);
  CHECK(model.positions == Positions::rotary);
  CHECK(!model.tie_word_embeddings);
}

}  // namespace kbsim::models::whole_config_test
