#include "model_family.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kbsim::evaluate {
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

constexpr std::array kFamilies{with_biases("gpt2", HiddenAct::gelu_tanh),
                               with_biases("gpt_bigcode", HiddenAct::gelu_tanh),
                               with_biases("starcoder2", HiddenAct::gelu_tanh),
                               with_biases("bloom", HiddenAct::gelu_tanh),
                               with_biases("gpt_neox", HiddenAct::gelu),
                               with_biases("opt", HiddenAct::relu),
                               ModelFamily{.model_type = "qwen2", .attention_bias = true},
                               ModelFamily{.model_type = "gemma", .act = HiddenAct::gelu_tanh},
                               ModelFamily{.model_type = "gemma2", .act = HiddenAct::gelu_tanh},
                               ModelFamily{.model_type = "gemma3_text", .act = HiddenAct::gelu_tanh}};

constexpr std::string_view kSideBySide = "its attention and its MLP work side by side on one norm";
constexpr std::string_view kEncoder = "it is an encoder: norms follow the sums, and no key is hidden";
constexpr std::string_view kNoAttention = "its layers aren't attention and an MLP";

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kOthers{{{"gptj", kSideBySide},
                                                                                 {"codegen", kSideBySide},
                                                                                 {"phi", kSideBySide},
                                                                                 {"cohere", kSideBySide},
                                                                                 {"bert", kEncoder},
                                                                                 {"roberta", kEncoder},
                                                                                 {"xlm-roberta", kEncoder},
                                                                                 {"distilbert", kEncoder},
                                                                                 {"albert", kEncoder},
                                                                                 {"electra", kEncoder},
                                                                                 {"mamba", kNoAttention},
                                                                                 {"mamba2", kNoAttention},
                                                                                 {"rwkv", kNoAttention},
                                                                                 {"jamba", kNoAttention}}};

}  // namespace

const ModelFamily* family_of(std::string_view model_type) {
  const auto found = std::ranges::find(kFamilies, model_type, &ModelFamily::model_type);
  return found == kFamilies.end() ? nullptr : &*found;
}

std::string_view why_no_decoder(std::string_view model_type) {
  const auto found = std::ranges::find(kOthers, model_type, &decltype(kOthers)::value_type::first);
  return found == kOthers.end() ? std::string_view{} : found->second;
}

}  // namespace kbsim::evaluate
