// Keys of a small config.json, and what can't be.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::models::config_keys_test {
namespace {

ModelConfig read_from(const std::string& text) {
  const std::string file = (std::filesystem::temp_directory_path() / "kbsim-model-config.json").string();
  std::ofstream{file} << text;
  return read_model_config(file);
}

std::string refused(const std::string& text) {
  try {
    (void)read_from(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("read_model_config: the keys of model hubs, and what follows from them") {
  const ModelConfig llama = read_from(
      R"({"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
          "hidden_act": "silu", "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "vocab_size": 128256,
          "num_hidden_layers": 32, "head_dim": null})");
  CHECK(llama.head_dim == 128);
  CHECK(llama.num_key_value_heads == 8);
  CHECK(llama.gated());
  CHECK(llama.rms_norm);
  CHECK(llama.norm_eps == 1e-5);
  CHECK(llama.torch_dtype == bf16);
  CHECK(llama.num_hidden_layers == 32);
  const ModelConfig other = read_from(
      R"({"model_type": "gpt_neox", "use_parallel_residual": false,
          "hidden_size": 60, "num_attention_heads": 6, "num_hidden_layers": 1, "head_dim": 16, "hidden_act": "gelu_new",
          "layer_norm_epsilon": 1e-6, "attention_bias": true, "dtype": "float32", "vocab_size": 100})");
  CHECK(other.torch_dtype == f32);
  CHECK(other.num_hidden_layers == 1);
  CHECK(other.head_dim == 16);
  CHECK(other.num_key_value_heads == 6);
  CHECK(other.intermediate_size == 240);
  CHECK(!other.gated());
  CHECK(!other.rms_norm);
  CHECK(other.attention_bias);
  CHECK(
      read_from("\xef\xbb\xbf"
                R"({"hidden_size": 8, "num_attention_heads": 4, "num_hidden_layers": 1, "vocab_size": 100})")
          .head_dim == 2);
}

TEST_CASE("read_model_config: what can't be is refused by file, key and expectation") {
  CHECK(has(refused("{"), "not JSON"));
  CHECK(has(refused("[]"), "not an object of keys"));
  CHECK(has(refused(R"({"hidden_size": 4})"), "num_attention_heads is missing"));
  CHECK(has(refused(R"({"hidden_size": -4, "num_attention_heads": 1})"),
            "json:1:17: hidden_size is -4, expected a whole number from 1 to"));
  CHECK(has(refused(R"({"hidden_size": 8, "num_attention_heads": 4})"), "num_hidden_layers is missing"));
  CHECK(has(refused(R"({"hidden_size": 10, "num_attention_heads": 4})"),
            "json:1:17: hidden_size (10) must be divisible by num_attention_heads (4)"));
  CHECK(has(refused(R"({"hidden_size": 8, "num_attention_heads": 4, "num_key_value_heads": 3})"),
            "json:1:43: num_attention_heads (4) must be divisible by num_key_value_heads (3)"));
  CHECK(has(refused(R"({"hidden_size": 8, "num_attention_heads": 4, "hidden_act": "mish"})"),
            "hidden_act is \"mish\", which isn't simulated; those that are: relu, silu"));
  CHECK(has(refused(R"({"hidden_size": 8, "num_attention_heads": 4, "rms_norm_eps": 1e999})"),
            "expected a finite number that isn't negative"));
}

TEST_CASE("read_model_config: a key that is there twice is refused with the second one's place") {
  const auto refused_twice = [](const std::string& more, std::string_view says) {
    const std::string why = refused(R"({"hidden_size": 8, "num_attention_heads": 4, "num_hidden_layers": 1,
"vocab_size": 100)" + more + "}");
    CAPTURE(why);
    CHECK(has(why, says));
  };
  CHECK(read_from(R"({"hidden_size": 8, "num_attention_heads": 4, "num_hidden_layers": 1,
"vocab_size": 100, "id2label": {"0": [{"a": 1}, {"a": 1}], "a": {"a": 1}}})")
            .hidden_size == 8);
  refused_twice(",\n\"vocab_size\": 50", ".json:3:1: key 'vocab_size' is there twice");
  refused_twice(",\n\"hidden\\u005fsize\": 8", ".json:3:1: key 'hidden_size' is there twice");
  refused_twice(",\n\"rope_scaling\": {\"factor\": 2, \"factor\": 4}", ".json:3:31: key 'factor' is there");
  refused_twice(",\n\"id2label\": [[{\"a\": \"}\", \"b\": 1,\n \"a\": 2}]]", ".json:4:2: key 'a' is there");
}

TEST_CASE("read_model_config: a dtype that the file doesn't say is marked as assumed") {
  const std::string keys = R"({"hidden_size": 8, "num_attention_heads": 4, "num_hidden_layers": 1,
"vocab_size": 100)";
  CHECK(read_from(keys + "}").dtype_assumed);
  CHECK(read_from(keys + R"(, "dtype": null})").dtype_assumed);
  CHECK(!read_from(keys + R"(, "dtype": "float16"})").dtype_assumed);
  CHECK(!read_from(keys + R"(, "torch_dtype": "float16"})").dtype_assumed);
}

}  // namespace kbsim::models::config_keys_test
