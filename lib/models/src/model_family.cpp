#include "model_family.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kbsim::models {
namespace {

constexpr ModelFamily with_biases(std::string_view model_type, HiddenAct act) {
  return {.model_type = model_type,
          .act = act,
          .gated = false,
          .rms_norm = false,
          .attention_bias = true,
          .output_bias = true,
          .mlp_bias = true};
}

constexpr ModelFamily like_gptj(std::string_view model_type) {
  return {.model_type = model_type,
          .act = HiddenAct::gelu_tanh,
          .gated = false,
          .rms_norm = false,
          .mlp_bias = true};
}

constexpr ModelFamily side_by_side(ModelFamily family, MlpInput beside) {
  family.side_by_side = true;
  family.beside = beside;
  return family;
}

constexpr ModelFamily shared_kv(ModelFamily family) {
  family.shared_kv = true;
  return family;
}

constexpr std::array kFamilies{
    // RMS norms, a gate of SiLU, biases where a key says so
    ModelFamily{.model_type = "llama"},
    ModelFamily{.model_type = "mistral"},
    ModelFamily{.model_type = "ministral"},
    ModelFamily{.model_type = "phi3"},
    ModelFamily{.model_type = "internlm"},
    ModelFamily{.model_type = "internlm2"},
    ModelFamily{.model_type = "Yi"},
    ModelFamily{.model_type = "aquila"},
    ModelFamily{.model_type = "xverse"},
    ModelFamily{.model_type = "granite"},
    ModelFamily{.model_type = "smollm3"},
    ModelFamily{.model_type = "ernie4_5"},
    with_biases("gpt2", HiddenAct::gelu_tanh),
    shared_kv(with_biases("gpt_bigcode", HiddenAct::gelu_tanh)),
    with_biases("starcoder2", HiddenAct::gelu_tanh),
    with_biases("opt", HiddenAct::relu),
    side_by_side(with_biases("gpt_neox", HiddenAct::gelu), MlpInput::own_norm),
    side_by_side(with_biases("phi", HiddenAct::gelu_tanh), MlpInput::attention_norm),
    side_by_side(like_gptj("gptj"), MlpInput::attention_norm),
    side_by_side(like_gptj("codegen"), MlpInput::attention_norm),
    side_by_side({.model_type = "falcon",
                  .act = HiddenAct::gelu,
                  .gated = false,
                  .rms_norm = false,
                  .shared_kv = true},
                 MlpInput::attention_norm),
    side_by_side({.model_type = "cohere", .rms_norm = false}, MlpInput::attention_norm),
    ModelFamily{.model_type = "stablelm", .rms_norm = false, .beside = MlpInput::attention_norm},
    ModelFamily{.model_type = "gpt_neo",
                .act = HiddenAct::gelu_tanh,
                .gated = false,
                .rms_norm = false,
                .output_bias = true,
                .mlp_bias = true},
    ModelFamily{.model_type = "exaone"},
    ModelFamily{.model_type = "qwen2", .attention_bias = true},
    ModelFamily{.model_type = "qwen2_vl", .attention_bias = true},
    ModelFamily{.model_type = "qwen2_vl_text", .attention_bias = true},
    ModelFamily{.model_type = "qwen2_5_vl", .attention_bias = true},
    ModelFamily{.model_type = "qwen2_5_vl_text", .attention_bias = true},
    ModelFamily{.model_type = "qwen3", .qk_norm = true},
    ModelFamily{.model_type = "gemma", .act = HiddenAct::gelu_tanh},
    ModelFamily{.model_type = "olmo", .rms_norm = false}};

constexpr std::string_view kEncoder = "it is an encoder: no key is hidden";
constexpr std::string_view kNoAttention = "its layers aren't attention and an MLP alone";
constexpr std::string_view kExperts = "it is a mixture of experts";
constexpr std::string_view kQkNorms = "its layers norm queries and keys";
constexpr std::string_view kMoreNorms = "its layers norm what attention and MLP give";
constexpr std::string_view kSlopes = "positions by a slope of the scores (ALiBi)";
constexpr std::string_view kHalves = "its intermediate_size counts both halves of the MLP";

constexpr auto kOthers = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"bert", kEncoder},
    {"roberta", kEncoder},
    {"xlm-roberta", kEncoder},
    {"distilbert", kEncoder},
    {"albert", kEncoder},
    {"electra", kEncoder},
    {"deberta-v2", kEncoder},
    {"modernbert", kEncoder},
    {"mpnet", kEncoder},
    {"camembert", kEncoder},
    {"nomic_bert", kEncoder},
    {"vit", kEncoder},
    {"deit", kEncoder},
    {"beit", kEncoder},
    {"dinov2", kEncoder},
    {"clip_vision_model", kEncoder},
    {"siglip_vision_model", kEncoder},
    {"wav2vec2", kEncoder},
    {"hubert", kEncoder},
    {"mamba", kNoAttention},
    {"mamba2", kNoAttention},
    {"falcon_mamba", kNoAttention},
    {"rwkv", kNoAttention},
    {"jamba", kNoAttention},
    {"zamba", kNoAttention},
    {"recurrent_gemma", kNoAttention},
    {"falcon_h1", kNoAttention},
    {"rwkv7", kNoAttention},
    {"xlstm", kNoAttention},
    {"gemma3n_text", kNoAttention},
    {"dbrx", kExperts},
    {"mixtral", kExperts},
    {"qwen2_moe", kExperts},
    {"qwen3_moe", kExperts},
    {"deepseek_v2", kExperts},
    {"deepseek_v3", kExperts},
    {"phimoe", kExperts},
    {"olmoe", kExperts},
    {"granitemoe", kExperts},
    {"gpt_oss", kExperts},
    {"llama4", kExperts},
    {"llama4_text", kExperts},
    {"qwen", kHalves},
    {"gemma3", kQkNorms},
    {"gemma3_text", kQkNorms},
    {"olmo2", kQkNorms},
    {"olmo3", kQkNorms},
    {"exaone4", kQkNorms},
    {"apertus", kQkNorms},
    {"chameleon", kQkNorms},
    {"gemma2", kMoreNorms},
    {"glm4", kMoreNorms},
    {"bloom", kSlopes},
    {"mpt", kSlopes},
    {"baichuan", "its config.json doesn't say which positions it has"},
    {"cohere2", "its layers without a window have no positions"},
    {"chatglm", "its embedding and head aren't described by its config.json"},
});

}  // namespace

const ModelFamily* family_of(std::string_view model_type) {
  const auto found = std::ranges::find(kFamilies, model_type, &ModelFamily::model_type);
  return found == kFamilies.end() ? nullptr : &*found;
}

std::vector<std::string> known_model_types() {
  std::vector<std::string> all;
  for (const ModelFamily& family : kFamilies) all.emplace_back(family.model_type);
  for (const auto& [type, why] : kOthers) all.emplace_back(type);
  return all;
}

std::string_view why_no_decoder(std::string_view model_type) {
  const auto found = std::ranges::find(kOthers, model_type, &decltype(kOthers)::value_type::first);
  return found == kOthers.end() ? std::string_view{} : found->second;
}

}  // namespace kbsim::models
