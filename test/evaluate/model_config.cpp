// config.json of the families that model hubs have.
#include "kbsim/evaluate/model_config.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::evaluate::model_config_test {
namespace {

ModelConfig model_from(const std::string& keys) {
  const std::string file = (std::filesystem::temp_directory_path() / "kbsim-model-family.json").string();
  std::ofstream{file} << "{" << keys << "}";
  return read_model_config(file);
}

// Of LLaMA's names of keys.
std::string layer(const std::string& more) {
  return R"("hidden_size": 64, "num_attention_heads": 8, "intermediate_size": 128, )" + more;
}

template <class Refusal>
void refuses(const std::string& keys, const std::string& why) {
  CHECK_THROWS_WITH_AS((void)model_from(keys), doctest::Contains(why.c_str()), Refusal);
}

}  // namespace

TEST_CASE("read_model_config: GPT-2 has names of its own, layer norms, biases and an MLP without gate") {
  const ModelConfig gpt2 = model_from(
      R"("model_type": "gpt2", "n_embd": 64, "n_head": 8, "n_layer": 12, "n_inner": null,
         "activation_function": "gelu_new", "layer_norm_epsilon": 1e-05)");
  CHECK(gpt2.hidden_size == 64);
  CHECK(gpt2.head_dim == 8);
  CHECK(gpt2.num_hidden_layers == 12);
  CHECK(gpt2.intermediate_size == 256);
  CHECK(gpt2.hidden_act == HiddenAct::gelu_tanh);
  CHECK(!gpt2.gated());
  CHECK(!gpt2.rms_norm);
  CHECK(gpt2.attention_bias);
  CHECK(gpt2.has_output_bias());
  CHECK(gpt2.mlp_bias);
}

TEST_CASE("read_model_config: OPT, whose file says neither norms nor their eps") {
  const ModelConfig opt = model_from(
      R"("model_type": "opt", "hidden_size": 64, "num_attention_heads": 8, "ffn_dim": 96,
         "activation_function": "relu", "do_layer_norm_before": true, "num_hidden_layers": 12)");
  CHECK(opt.intermediate_size == 96);
  CHECK(opt.hidden_act == HiddenAct::relu);
  CHECK(!opt.gated());
  CHECK(!opt.rms_norm);
  CHECK(opt.mlp_bias);
  refuses<Unsupported>(R"("model_type": "opt", "hidden_size": 64, "num_attention_heads": 8,
                          "do_layer_norm_before": false)",
                       "norms follow the sums (do_layer_norm_before)");
}

TEST_CASE("read_model_config: Qwen2 has biases of queries, keys and values alone; Gemma a gate of gelu") {
  const ModelConfig qwen2 = model_from(layer(R"("model_type": "qwen2", "rms_norm_eps": 1e-06)"));
  CHECK(qwen2.attention_bias);
  CHECK(!qwen2.has_output_bias());
  CHECK(!qwen2.mlp_bias);
  CHECK(qwen2.gated());
  const ModelConfig gemma =
      model_from(layer(R"("model_type": "gemma", "hidden_activation": "gelu_pytorch_tanh", "head_dim": 16)"));
  CHECK(gemma.gated());
  CHECK(gemma.hidden_act == HiddenAct::gelu_tanh);
  CHECK(gemma.rms_norm);
  const ModelConfig mistral = model_from(layer(R"("model_type": "mistral", "sliding_window": 4096)"));
  CHECK(!mistral.attention_bias);
  CHECK(mistral.gated());
}

TEST_CASE("read_model_config: one head of keys for all, and the text part of a model of several") {
  CHECK(model_from(layer(R"("multi_query": true)")).num_key_value_heads == 1);
  CHECK(model_from(R"("model_type": "llava", "vision_config": {"hidden_size": 8}, "text_config": {)" +
                   layer(R"("model_type": "llama")") + "}")
            .intermediate_size == 128);
}

TEST_CASE("read_model_config: the type of numbers may stand beside the text part") {
  const std::string part = R"("text_config": {)" + layer(R"("model_type": "gemma3_text")") + "}";
  CHECK(model_from(R"("torch_dtype": "bfloat16", )" + part).torch_dtype == bf16);
  CHECK(model_from(part).torch_dtype == f16);
}

TEST_CASE("read_model_config: an MLP beside attention, by a norm of its own or attention's") {
  const auto input = [](const std::string& keys) { return model_from(layer(keys)).mlp_input; };
  CHECK(input(R"("model_type": "llama")") == MlpInput::attention_sum);
  CHECK(input(R"("model_type": "gpt_neox")") == MlpInput::own_norm);
  CHECK(input(R"("model_type": "gpt_neox", "use_parallel_residual": false)") == MlpInput::attention_sum);
  CHECK(input(R"("model_type": "phi")") == MlpInput::attention_norm);
  CHECK(input(R"("model_type": "falcon")") == MlpInput::attention_norm);
  CHECK(input(R"("model_type": "falcon", "new_decoder_architecture": true)") == MlpInput::own_norm);
  CHECK(input(R"("model_type": "falcon", "parallel_attn": false)") == MlpInput::attention_sum);
  CHECK(input(R"("model_type": "stablelm", "use_parallel_residual": true)") == MlpInput::attention_norm);
}

TEST_CASE("read_model_config: Falcon shares one head of keys, but in its new architecture") {
  const auto heads = [](const std::string& keys) { return model_from(layer(keys)).num_key_value_heads; };
  CHECK(model_from(layer(R"("model_type": "falcon", "bias": true)")).mlp_bias);
  CHECK(!model_from(layer(R"("model_type": "internlm", "bias": true)")).mlp_bias);
  CHECK(heads(R"("model_type": "falcon")") == 1);
  CHECK(heads(R"("model_type": "falcon", "num_kv_heads": 8, "multi_query": true)") == 1);
  CHECK(heads(R"("model_type": "falcon", "num_kv_heads": 2, "new_decoder_architecture": true)") == 2);
}

TEST_CASE("read_model_config: other families' names of the same keys") {
  const ModelConfig bloom =
      model_from(R"("model_type": "bloom", "n_embed": 64, "num_attention_heads": 8, "n_layer": 24)");
  CHECK(bloom.hidden_size == 64);
  CHECK(bloom.num_hidden_layers == 24);
  CHECK(bloom.intermediate_size == 256);
  const ModelConfig glm = model_from(
      R"("model_type": "chatglm", "hidden_size": 64, "num_attention_heads": 8, "ffn_hidden_size": 96,
         "kv_channels": 8, "multi_query_attention": true, "multi_query_group_num": 2, "num_layers": 28,
         "add_qkv_bias": true)");
  CHECK(glm.num_key_value_heads == 2);
  CHECK(glm.intermediate_size == 96);
  CHECK(glm.num_hidden_layers == 28);
  CHECK(glm.attention_bias);
  CHECK(!glm.has_output_bias());
  const ModelConfig mpt = model_from(R"("model_type": "mpt", "d_model": 64, "n_heads": 8, "n_layers": 2)");
  CHECK(!mpt.gated());
  CHECK(!mpt.rms_norm);
}

TEST_CASE("read_model_config: layers of several kinds are refused, windows of attention aren't") {
  refuses<Unsupported>(layer(R"("layer_types": ["full_attention", "linear_attention"])"),
                       "a layer of kind linear_attention (layer_types)");
  refuses<Unsupported>(layer(R"("block_types": ["recurrent"])"), "a layer of kind recurrent (block_types)");
  refuses<Unsupported>(layer(R"("block_configs": [{}])"), "each layer is another one (block_configs)");
  refuses<Unsupported>(layer(R"("ffn_config": {"moe_num_experts": 16})"), "ffn_config.moe_num_experts");
  CHECK(model_from(layer(R"("layer_types": ["sliding_attention", "full_attention"])")).hidden_size == 64);
}

TEST_CASE("read_model_config: a type of numbers may have its module before it") {
  CHECK(model_from(layer(R"("torch_dtype": "torch.bfloat16")")).torch_dtype == DType::bf16);
}

TEST_CASE("read_model_config: what isn't a dense decoder layer is refused by its key, exit code 5") {
  refuses<Unsupported>(layer(R"("model_type": "mixtral", "num_local_experts": 8)"),
                       "a mixture of 8 experts (num_local_experts)");
  refuses<Unsupported>(layer(R"("model_type": "qwen2_moe", "num_experts": 60)"), "60 experts (num_experts)");
  refuses<Unsupported>(layer(R"("n_routed_experts": 256)"), "256 experts (n_routed_experts)");
  refuses<Unsupported>(layer(R"("kv_lora_rank": 512)"), "keys and values are compressed (kv_lora_rank)");
  refuses<Unsupported>(R"("is_encoder_decoder": true, "d_model": 512)", "an encoder beside the decoder");
  refuses<Unsupported>(layer(R"("model_type": "bert")"), "model_type bert: it is an encoder");
  refuses<Unsupported>(layer(R"("model_type": "dbrx")"), "model_type dbrx: it is a mixture of experts");
  CHECK(model_from(layer(R"("num_local_experts": 1)")).gated());
  refuses<UsageError>(R"("n_embd": 10, "n_head": 4)", "n_embd (10) must be divisible by n_head (4)");
}

}  // namespace kbsim::evaluate::model_config_test
