// The config.json of public models: sizes, positions, and the numbers of parameters that their authors state.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/models/model_weights.hpp"

#include "hub_models.hpp"

namespace kbsim::models::test::hub_configs_test {
namespace {

// By the definition of each matrix, without the library's list of them.
std::int64_t parameters_by_hand(const HubModel& hub) {
  const std::int64_t q = hub.heads * hub.head;
  const std::int64_t kv = hub.kv_heads * hub.head;
  const std::int64_t norm = hub.hidden * (hub.layer_norm ? 2 : 1);
  std::int64_t layer = hub.hidden * (q + 2 * kv) + q * hub.hidden;
  layer += (hub.gated ? 3 : 2) * hub.hidden * hub.inner + hub.norms * norm;
  if (hub.qkv_bias) layer += q + 2 * kv;
  if (hub.other_biases) layer += hub.hidden + hub.inner + hub.hidden;
  if (hub.qk_norm) layer += 2 * hub.head;
  const std::int64_t matrices = hub.tied ? 1 : 2;
  return hub.layers * layer + (matrices * hub.vocab + hub.position_rows) * hub.hidden + norm +
         (hub.head_bias ? hub.vocab : 0);
}

}  // namespace

TEST_CASE("read_model_config: public models have the parameters that their authors state") {
  for (const HubModel& hub : kHubModels) {
    CAPTURE(hub.file);
    CHECK(parameters_by_hand(hub) == hub.parameters);
    CHECK(parameters(config_of(hub.file)) == hub.parameters);
  }
}

TEST_CASE("read_model_config: models of further families have the parameters that their authors state") {
  const auto parameters_of = [](const std::string& keys) {
    const std::string file = (std::filesystem::temp_directory_path() / "kbsim-hub-model.json").string();
    std::ofstream{file} << "{" << keys << "}";
    return parameters(read_model_config(file));
  };
  CHECK(parameters_of(R"("model_type": "opt", "hidden_size": 768, "num_attention_heads": 12, "ffn_dim": 3072,
    "num_hidden_layers": 12, "max_position_embeddings": 2048, "vocab_size": 50272,
    "word_embed_proj_dim": 768, "activation_function": "relu", "do_layer_norm_before": true)") ==
        125'239'296);
  CHECK(parameters_of(R"("model_type": "gpt_neo", "hidden_size": 2048, "num_heads": 16, "num_layers": 24,
    "max_position_embeddings": 2048, "vocab_size": 50257, "window_size": 256, "intermediate_size": null,
    "attention_types": [[["global", "local"], 12]])") == 1'315'575'808);
  CHECK(parameters_of(R"("model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "n_inner": null,
    "n_positions": 2048, "rotary": true, "rotary_dim": 64, "tie_word_embeddings": false,
    "vocab_size": 50400)") == 6'050'882'784);
  CHECK(parameters_of(R"("model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64,
    "intermediate_size": 24576, "num_hidden_layers": 44, "rotary_pct": 0.25, "rotary_emb_base": 10000,
    "vocab_size": 50432, "tie_word_embeddings": false)") == 20'554'567'680);
  CHECK(parameters_of(R"("model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71,
    "num_hidden_layers": 32, "multi_query": true, "parallel_attn": true, "bias": false, "alibi": false,
    "new_decoder_architecture": false, "vocab_size": 65024)") == 6'921'720'704);
  CHECK(parameters_of(R"("model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
    "num_key_value_heads": 4, "intermediate_size": 11008, "num_hidden_layers": 36,
    "no_rope_layer_interval": 4, "vocab_size": 128256)") == 3'075'098'624);
}

TEST_CASE("read_model_config: sizes and parts of public models") {
  for (const HubModel& hub : kHubModels) {
    CAPTURE(hub.file);
    const ModelConfig model = config_of(hub.file);
    CHECK(model.num_hidden_layers == hub.layers);
    CHECK(model.hidden_size == hub.hidden);
    CHECK(model.num_attention_heads == hub.heads);
    CHECK(model.num_key_value_heads == hub.kv_heads);
    CHECK(model.head_dim == hub.head);
    CHECK(model.intermediate_size == hub.inner);
    CHECK(model.vocab_size == hub.vocab);
    CHECK(model.gated() == hub.gated);
    CHECK(model.tie_word_embeddings == hub.tied);
    CHECK(model.attention_bias == hub.qkv_bias);
    CHECK(model.has_output_bias() == hub.other_biases);
    CHECK(model.mlp_bias == hub.other_biases);
    CHECK(model.has_norm_bias() == hub.layer_norm);
    CHECK(model.qk_norm == hub.qk_norm);
    CHECK(model.head_bias == hub.head_bias);
    CHECK(model.position_rows == hub.position_rows);
    CHECK((model.positions == Positions::learned) == (hub.position_rows > 0));
    for (std::int64_t layer = 0; layer < hub.layers; ++layer)
      CHECK(model.layer_kind(layer) == LayerKind{.window = hub.window});
  }
}

TEST_CASE("read_model_config: rotary positions of public models") {
  const Rope llama = config_of("Llama-3.1-8B").rope;
  CHECK(llama.theta == 500000.0);
  CHECK(llama.dims == 128);
  CHECK(!llama.interleaved);
  CHECK(llama.scaling == RopeScaling::llama3);
  CHECK(llama.factor == 8.0);
  CHECK(llama.low_freq_factor == 1.0);
  CHECK(llama.high_freq_factor == 4.0);
  CHECK(llama.original_max_positions == 8192.0);
  CHECK(config_of("Llama-3.2-1B").rope.factor == 32.0);
  CHECK(config_of("Qwen3-8B").rope.theta == 1e6);
  CHECK(config_of("Qwen3-8B").rope.scaling == RopeScaling::none);
  CHECK(config_of("phi-2").rope.dims == 32);  // 0.4 of 80
}

TEST_CASE("read_model_config: Gemma scales its embedding and adds 1 to the weights of norms") {
  const ModelConfig gemma = config_of("gemma-2b");
  CHECK(gemma.embedding_multiplier == std::sqrt(2048.0));
  CHECK(gemma.norm_plus_one);
  CHECK(gemma.hidden_act == HiddenAct::gelu_tanh);
  CHECK(config_of("Llama-3.1-8B").embedding_multiplier == 1.0);
}

}  // namespace kbsim::models::test::hub_configs_test
