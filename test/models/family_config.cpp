// config.json of the families that model hubs have.
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::models::family_config_test {
namespace {

ModelConfig model_from(const std::string& keys) {
  const std::string file = (std::filesystem::temp_directory_path() / "kbsim-model-family.json").string();
  std::ofstream{file} << "{" << keys << "}";
  return read_model_config(file);
}

// A configuration with LLaMA's names of keys, of one layer unless it says more.
std::string llama_keys(const std::string& more) {
  const std::string layers =
      more.find("num_hidden_layers") == std::string::npos ? R"("num_hidden_layers": 1, )" : "";
  return R"("vocab_size": 100, "hidden_size": 64, "num_attention_heads": 8, "intermediate_size": 128, )" +
         layers + more;
}

template <class Refusal>
void refuses(const std::string& keys, const std::string& why) {
  CHECK_THROWS_WITH_AS((void)model_from(keys), doctest::Contains(why.c_str()), Refusal);
}

}  // namespace

TEST_CASE("read_model_config: GPT-2 has names of its own, layer norms, biases and an MLP without gate") {
  const ModelConfig gpt2 = model_from(
      R"("model_type": "gpt2", "n_embd": 64, "n_head": 8, "n_layer": 12, "n_inner": null, "n_positions": 32, "vocab_size": 100,
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
         "activation_function": "relu", "do_layer_norm_before": true, "num_hidden_layers": 12,
         "max_position_embeddings": 32, "vocab_size": 100)");
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
  const ModelConfig qwen2 = model_from(llama_keys(R"("model_type": "qwen2", "rms_norm_eps": 1e-06)"));
  CHECK(qwen2.attention_bias);
  CHECK(!qwen2.has_output_bias());
  CHECK(!qwen2.mlp_bias);
  CHECK(qwen2.gated());
  const ModelConfig gemma = model_from(
      llama_keys(R"("model_type": "gemma", "hidden_activation": "gelu_pytorch_tanh", "head_dim": 16)"));
  CHECK(gemma.gated());
  CHECK(gemma.hidden_act == HiddenAct::gelu_tanh);
  CHECK(gemma.rms_norm);
  const ModelConfig mistral = model_from(llama_keys(R"("model_type": "mistral", "sliding_window": 4096)"));
  CHECK(!mistral.attention_bias);
  CHECK(mistral.gated());
}

TEST_CASE("read_model_config: one head of keys for all, and the text part of a model of several") {
  CHECK(model_from(llama_keys(R"("multi_query": true)")).num_key_value_heads == 1);
  CHECK(model_from(R"("model_type": "llava", "vision_config": {"hidden_size": 8}, "text_config": {)" +
                   llama_keys(R"("model_type": "llama")") + "}")
            .intermediate_size == 128);
}

TEST_CASE("read_model_config: the type of numbers may stand beside the text part") {
  const std::string part = R"("text_config": {)" + llama_keys(R"("model_type": "gemma")") + "}";
  CHECK(model_from(R"("torch_dtype": "bfloat16", )" + part).torch_dtype == bf16);
  CHECK(model_from(part).torch_dtype == f16);
}

TEST_CASE("read_model_config: an MLP beside attention, by a norm of its own or attention's") {
  const auto input = [](const std::string& keys) { return model_from(llama_keys(keys)).mlp_input; };
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
  const auto heads = [](const std::string& keys) { return model_from(llama_keys(keys)).num_key_value_heads; };
  CHECK(model_from(llama_keys(R"("model_type": "falcon", "bias": true)")).mlp_bias);
  CHECK(!model_from(llama_keys(R"("model_type": "internlm", "bias": true)")).mlp_bias);
  CHECK(heads(R"("model_type": "falcon")") == 1);
  CHECK(heads(R"("model_type": "falcon", "num_kv_heads": 8, "multi_query": true)") == 1);
  CHECK(heads(R"("model_type": "falcon", "num_kv_heads": 2, "new_decoder_architecture": true)") == 2);
  refuses<UsageError>(llama_keys(R"("model_type": "falcon", "new_decoder_architecture": 1)"),
                      "new_decoder_architecture is 1, expected true or false");
}

TEST_CASE("read_model_config: other families' names of the same keys") {
  CHECK(model_from(llama_keys(R"("model_type": "exaone", "layer_norm_epsilon": 1e-05)")).rms_norm);
  CHECK(model_from(llama_keys(R"("model_type": "starcoder2", "norm_epsilon": 1e-05)")).norm_eps == 1e-5);
}

TEST_CASE("read_model_config: layers of several kinds are refused") {
  refuses<Unsupported>(llama_keys(R"("layer_types": ["full_attention", "linear_attention"])"),
                       "a layer of kind linear_attention (layer_types)");
  refuses<Unsupported>(llama_keys(R"("block_types": ["recurrent"])"),
                       "a layer of kind recurrent (block_types)");
  refuses<Unsupported>(llama_keys(R"("block_configs": [{}])"), "each layer is another one (block_configs)");
  refuses<Unsupported>(llama_keys(R"("ffn_config": {"moe_num_experts": 16})"), "ffn_config.moe_num_experts");
  refuses<Unsupported>(llama_keys(R"("cross_attention_layers": [3, 8])"), "cross_attention_layers");
  refuses<Unsupported>(llama_keys(R"("hybrid_override_pattern": "M-M*-")"), "hybrid_override_pattern");
  refuses<Unsupported>(llama_keys(R"("mamba_d_state": 128)"), "mamba_d_state");
  refuses<Unsupported>(R"("hidden_size": 64, "num_attention_heads": 8, "intermediate_size": [128, 256])",
                       "each layer has another intermediate_size");
  CHECK(model_from(
            llama_keys(
                R"("num_hidden_layers": 2, "layer_types": ["attention", "attention"], "mamba_d_state": 128)"))
            .hidden_size == 64);
  CHECK(model_from(R"("vocab_size": 100, "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 1,
                      "intermediate_size": [128, 128])")
            .intermediate_size == 128);
}

TEST_CASE("read_model_config: a key that changes the layer is refused with its place, unless it is neutral") {
  for (const auto& [key, neutral, other] :
       {std::array{"quantization_config", "null", R"({"quant_method": "fp8"})"},
        std::array{"quantization_config", "null", R"({"quant_method": "gptq", "bits": 4})"},
        std::array{"use_qk_norm", "false", "true"}, std::array{"attn_logit_softcapping", "null", "50.0"},
        std::array{"pruned_heads", "{}", R"({"1": [0]})"}, std::array{"q_lora_rank", "null", "1536"},
        std::array{"mlp_type", R"("default")", R"("gated")"}, std::array{"pre_seq_len", "null", "128"}}) {
    CAPTURE(key);
    const std::string begin = fmt::format("\"model_type\": \"llama\",\n  \"{}\": ", key);
    CHECK(model_from(llama_keys(begin + neutral)).hidden_size == 64);
    refuses<Unsupported>(llama_keys(begin + other), fmt::format(".json:2:{}: ", std::string{key}.size() + 7));
    refuses<Unsupported>(llama_keys(begin + other), fmt::format("({}) isn't simulated", key));
  }
}

TEST_CASE("read_model_config: keys idle by knowledge pass, a key that isn't known is refused") {
  const std::string idle = R"("architectures": ["LlamaForCausalLM"], "bos_token_id": 1,
    "rope_theta": 10000.0, "attention_dropout": 0.0, "tie_word_embeddings": false, "use_cache": true,
    "_from_model_config": true, "z_loss_weight": 0)";
  CHECK(model_from(llama_keys(R"("model_type": "llama", )" + idle)).hidden_size == 64);
  refuses<Unsupported>(llama_keys(R"("model_type": "llama", "wavelet_depth": 3)"),
                       "key 'wavelet_depth' isn't known");
  CHECK(model_from(llama_keys(R"("model_type": "llama", "wavelet_depth": null)")).hidden_size == 64);
}

TEST_CASE("read_model_config: a kind of norm is that of the family, or of a file without one") {
  CHECK(model_from(llama_keys(R"("model_type": "llama", "norm_type": "rmsnorm")")).rms_norm);
  refuses<Unsupported>(llama_keys(R"("model_type": "llama", "norm_type": "layer_norm")"),
                       "another norm than that of llama isn't simulated");
  refuses<Unsupported>(llama_keys(R"("model_type": "gpt2", "norm_type": "rms_norm")"),
                       "another norm than that of gpt2");
  refuses<Unsupported>(llama_keys(R"("model_type": "llama", "norm_type": "batchnorm")"), "norm_type");
  CHECK(!model_from(llama_keys(R"("norm_type": "layernorm")")).rms_norm);
}

TEST_CASE("read_model_config: GPT-BigCode shares one head of keys unless its file denies it") {
  const std::string keys = R"("model_type": "gpt_bigcode", "n_embd": 64, "n_head": 8, "n_layer": 2,
         "n_positions": 32, "vocab_size": 100)";
  CHECK(model_from(keys).num_key_value_heads == 1);
  CHECK(model_from(keys + R"(, "multi_query": false)").num_key_value_heads == 8);
}

TEST_CASE("read_model_config: kinds of attention in lists of lists, and a class that contradicts the type") {
  refuses<Unsupported>(R"("model_type": "gpt_neo", "num_heads": 4, "hidden_size": 64, "num_layers": 2,
                          "attention_types": [[["linear"], 2]])",
                       "a layer of kind linear (attention_types)");
  CHECK(model_from(R"("model_type": "gpt_neo", "num_heads": 4, "hidden_size": 64, "num_layers": 2,
                      "max_position_embeddings": 32, "vocab_size": 100, "attention_types": [[["global", "local"], 1]])")
            .hidden_size == 64);
  refuses<Unsupported>(llama_keys(R"("model_type": "llama", "architectures": ["MixtralForCausalLM"])"),
                       "architectures MixtralForCausalLM");
  refuses<UsageError>(
      llama_keys("\"model_type\": \"llama\",\n\"architectures\": [\"GPT2LMHeadModel\"]"),
      ".json:2:18: architectures has GPT2LMHeadModel, a class of gpt2, but the model is llama");
  refuses<UsageError>(llama_keys(R"("architectures": ["LlamaForCausalLM", "Qwen2ForCausalLM"])"),
                      "architectures has Qwen2ForCausalLM, a class of qwen2, but the model is llama");
  // A part of a model has the class of the whole; a class of no known type says nothing.
  CHECK(model_from(
            llama_keys(
                R"("model_type": "qwen2_vl_text", "architectures": ["Qwen2VLForConditionalGeneration"])"))
            .family == "qwen2_vl_text");
  CHECK(model_from(llama_keys(R"("model_type": "llama", "architectures": ["LlamaForRewards"])")).family ==
        "llama");
}

TEST_CASE("read_model_config: families whose layers have further norms are refused by name") {
  for (const char* family : {"gemma2", "gemma3_text", "olmo2", "glm4"}) {
    CAPTURE(family);
    refuses<Unsupported>(llama_keys(fmt::format("\"model_type\": \"{}\"", family)),
                         fmt::format("model_type {}: its layers norm ", family));
  }
}

TEST_CASE("read_model_config: a model_type that isn't known is refused with its place") {
  refuses<Unsupported>(llama_keys("\n\"model_type\": \"llamma\""),
                       ".json:2:15: model_type 'llamma' isn't known");
  refuses<Unsupported>(llama_keys(R"("model_type": "llamma")"), "did you mean 'llama'?");
  for (const char* type : {"openai-gpt", "nemotron", "t5", "persimmon", "LLAMA"})
    refuses<Unsupported>(llama_keys(fmt::format("\"model_type\": \"{}\"", type)), "isn't known");
  for (const char* type : {"llama", "mistral", "phi3", "internlm2", "Yi"}) {
    const ModelConfig model = model_from(llama_keys(fmt::format("\"model_type\": \"{}\"", type)));
    CHECK(model.family == type);
    CHECK(model.gated());
    CHECK(model.rms_norm);
    CHECK(!model.attention_bias);
  }
  // LLaMA's MLP has its gate whatever the activation.
  CHECK(model_from(llama_keys(R"("model_type": "llama", "hidden_act": "gelu")")).gated());
  refuses<Unsupported>(R"("text_config": {)" + llama_keys(R"("model_type": "new")") + "}",
                       "'new' isn't known");
}

TEST_CASE("read_model_config: without a model_type the class of the architecture says the family") {
  const auto family = [](const char* name) {
    return model_from(llama_keys(fmt::format("\"n_positions\": 32, \"architectures\": [\"{}\"]", name)))
        .family;
  };
  CHECK(family("LlamaForCausalLM") == "llama");
  CHECK(family("GPT2LMHeadModel") == "gpt2");
  CHECK(family("GPTNeoXForCausalLM") == "gpt_neox");
  CHECK(model_from(llama_keys(R"("architectures": ["Qwen2ForCausalLM"])")).attention_bias);
  refuses<Unsupported>(llama_keys(R"("architectures": ["NemotronForCausalLM"])"),
                       "architectures 'NemotronForCausalLM' isn't known");
  refuses<Unsupported>(llama_keys(R"("architectures": ["Gemma2ForCausalLM"])"),
                       "architectures Gemma2ForCausalLM: its layers norm ");
}

TEST_CASE("read_model_config: without either, keys that LLaMA's layer has say that it is one") {
  CHECK(model_from(llama_keys(R"("rms_norm_eps": 1e-5)")).family == kAssumedFamily);
  refuses<Unsupported>(llama_keys(R"("hidden_act": "gelu")"),
                       "has a gate isn't known, and the file has no model_type");
  refuses<Unsupported>(llama_keys(R"("use_parallel_residual": true)"), "has a norm of its own isn't known");
  refuses<Unsupported>(R"("n_embd": 64, "n_head": 8, "n_layer": 1)", "n_embd is a key of several families");
}

TEST_CASE("read_model_config: two names of one key have one value") {
  CHECK(model_from(llama_keys(R"("model_type": "gpt2", "n_positions": 32, "n_embd": 64)")).hidden_size == 64);
  refuses<UsageError>(llama_keys(R"("n_embd": 32)"),
                      "n_embd is 32, but hidden_size is 64, which are names of one key");
  refuses<UsageError>(llama_keys(R"("torch_dtype": "float16", "dtype": "bfloat16")"),
                      "which are names of one key");
  refuses<UsageError>(llama_keys(R"("rms_norm_eps": 1e-5, "norm_eps": 1e-6)"), "which are names of one key");
  CHECK(model_from(llama_keys(R"("rope_theta": 500000, "rotary_emb_base": 500000.0)")).rope.theta == 5e5);
}

TEST_CASE("read_model_config: a window that no layer uses has no effect, and one that is used has a width") {
  const auto window = [](const std::string& keys) {
    return model_from(llama_keys("\"num_hidden_layers\": 28, " + keys)).layer_kind(27).window;
  };
  CHECK(window(R"("model_type": "qwen2", "sliding_window": 32768)") == 0);
  const std::string qwen = R"("model_type": "qwen2", "sliding_window": 32768, )";
  CHECK(window(qwen + R"("use_sliding_window": false)") == 0);
  CHECK(window(qwen + R"("use_sliding_window": true, "max_window_layers": 21)") == 32768);
  CHECK(model_from(llama_keys(R"("layer_types": ["full_attention"], "sliding_window": 512)"))
            .layer_kind(0)
            .window == 0);
  refuses<UsageError>(llama_keys(R"("layer_types": ["sliding_attention"])"), "sliding_window is missing");
}

TEST_CASE("read_model_config: each key that is read is checked for its type, and reported with its place") {
  const auto refuses_value = [](const std::string& key, const std::string& value) {
    CAPTURE(value);
    const std::string layers = key == "num_hidden_layers" ? "" : R"(, "num_hidden_layers": 1)";
    refuses<UsageError>(
        R"("hidden_size": 64, "num_attention_heads": 8)" + layers + ",\n  \"" + key + "\": " + value,
        fmt::format(".json:2:{}: {}", key.size() + 7, key));
  };
  // No key of a number may have a text, and no key of a text may have a number.
  for (const char* number :
       {"intermediate_size", "n_inner", "ffn_dim", "num_key_value_heads", "head_dim", "num_hidden_layers",
        "n_layer", "num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "kv_lora_rank",
        "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "sliding_window", "attention_chunk_size"}) {
    for (const char* value : {R"("32")", "true", "{}", "[\"a\"]", "-2"}) {
      // An element of a list has its own place.
      if (std::string{value}.starts_with('[') && std::string{number}.find("norm") == std::string::npos)
        continue;
      refuses_value(number, value);
    }
  }
  for (const char* flag : {"is_encoder_decoder", "do_layer_norm_before", "multi_query", "mlp_bias",
                           "attention_bias", "use_parallel_residual", "use_sliding_window"}) {
    for (const char* value : {"1", R"("true")", "[]", "{}"}) refuses_value(flag, value);
  }
  for (const char* text : {"model_type", "hidden_act", "torch_dtype"}) {
    for (const char* value : {"1", "true", R"(["llama"])", "{}"}) refuses_value(text, value);
  }
  for (const char* list :
       {"layer_types", "layers_block_type", "block_types", "block_configs", "cross_attention_layers"}) {
    for (const char* value : {R"("full_attention")", "1", "true", R"({"0": "full_attention"})"})
      refuses_value(list, value);
  }
  for (const char* value : {"1", R"("moe")", "[]"}) refuses_value("ffn_config", value);
  for (const char* value : {"1", R"("llama")", "[]"}) {
    refuses<UsageError>(R"("text_config": )" + std::string{value}, ".json:1:17: text_config is ");
  }
}

TEST_CASE("read_model_config: an element of a list and a key of the text part have their own places") {
  refuses<UsageError>(llama_keys("\n\"layer_types\": [\"full_attention\",\n 3]"),
                      ".json:3:2: layer_types[1] is 3, expected a text");
  refuses<UsageError>(
      "\"vision_config\": {\"hidden_size\": \"}\"}, \"text_config\": {\n \"hidden_size\": \"64\"}",
      ".json:2:17: hidden_size is \"64\"");
  refuses<UsageError>(
      "\"text_config\": {" + llama_keys("\"model_type\": \"llama\"}") + ",\n\"torch_dtype\": 16",
      ".json:2:16: torch_dtype is 16");
}

TEST_CASE("read_model_config: no experts, or one, are none of several") {
  CHECK(model_from(llama_keys(R"("num_local_experts": 0)")).hidden_size == 64);
  CHECK(model_from(llama_keys(R"("n_routed_experts": null)")).hidden_size == 64);
  CHECK(
      model_from(
          llama_keys(R"("num_experts_per_tok": 2, "n_shared_experts": 2, "experts_implementation": "eager")"))
          .hidden_size == 64);
  refuses<Unsupported>(llama_keys(R"("moe_num_primary_experts": 32)"), "a mixture of 32 experts");
  refuses<Unsupported>(llama_keys(R"("moe_num_experts": [64, 64])"),
                       "a mixture of 64 experts (moe_num_experts)");
}

TEST_CASE("read_model_config: a type of numbers may have its module before it") {
  CHECK(model_from(llama_keys(R"("torch_dtype": "torch.bfloat16")")).torch_dtype == DType::bf16);
}

TEST_CASE("read_model_config: what isn't a dense decoder layer is refused by its key, exit code 5") {
  refuses<Unsupported>(llama_keys(R"("model_type": "mixtral", "num_local_experts": 8)"),
                       "a mixture of 8 experts (num_local_experts)");
  refuses<Unsupported>(llama_keys(R"("model_type": "qwen2_moe", "num_experts": 60)"),
                       "60 experts (num_experts)");
  refuses<Unsupported>(llama_keys(R"("n_routed_experts": 256)"), "256 experts (n_routed_experts)");
  refuses<Unsupported>(llama_keys(R"("kv_lora_rank": 512)"), "keys and values are compressed (kv_lora_rank)");
  refuses<Unsupported>(R"("is_encoder_decoder": true, "d_model": 512)", "an encoder beside the decoder");
  refuses<Unsupported>(llama_keys(R"("model_type": "bert")"), "model_type bert: it is an encoder");
  refuses<Unsupported>(llama_keys(R"("model_type": "dbrx")"), "model_type dbrx: it is a mixture of experts");
  CHECK(model_from(llama_keys(R"("num_local_experts": 1)")).gated());
  refuses<UsageError>(R"("model_type": "gpt2", "n_embd": 10, "n_head": 4)",
                      "n_embd (10) must be divisible by n_head (4)");
}

}  // namespace kbsim::models::family_config_test
