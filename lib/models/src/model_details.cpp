#include "model_details.hpp"

#include <algorithm>
#include <array>

#include "kbsim/base/error.hpp"

namespace kbsim::models {
namespace {

constexpr ModelDetails learned_details(std::string_view model_type, std::int64_t first_row = 0) {
  return {.model_type = model_type,
          .positions = Positions::learned,
          .first_position_row = first_row,
          .tied = true};
}

constexpr ModelDetails gptj_details(std::string_view model_type) {
  return {.model_type = model_type, .rotary_dims = 64, .interleaved = true, .head_bias = true};
}

constexpr std::array kDetails{
    // whole heads turn by halves, and the head has a matrix of its own
    ModelDetails{.model_type = "llama"}, ModelDetails{.model_type = "mistral"},
    ModelDetails{.model_type = "ministral"}, ModelDetails{.model_type = "phi3"},
    ModelDetails{.model_type = "internlm"}, ModelDetails{.model_type = "internlm2"},
    ModelDetails{.model_type = "Yi"}, ModelDetails{.model_type = "aquila"},
    ModelDetails{.model_type = "xverse"}, ModelDetails{.model_type = "granite"},
    ModelDetails{.model_type = "exaone"}, ModelDetails{.model_type = "qwen2"},
    ModelDetails{.model_type = "qwen2_vl"}, ModelDetails{.model_type = "qwen2_vl_text"},
    ModelDetails{.model_type = "qwen2_5_vl"}, ModelDetails{.model_type = "qwen2_5_vl_text"},
    ModelDetails{.model_type = "qwen3"},
    ModelDetails{.model_type = "olmo", .norm_weight = false, .norm_bias = false},
    ModelDetails{.model_type = "smollm3", .tied = true},
    ModelDetails{.model_type = "starcoder2", .tied = true},
    ModelDetails{.model_type = "falcon", .tied = true},
    ModelDetails{.model_type = "gemma", .tied = true, .norm_plus_one = true, .embedding_by_root = true},
    ModelDetails{.model_type = "ernie4_5", .interleaved = true, .tied = true},
    ModelDetails{.model_type = "cohere",
                 .interleaved = true,
                 .tied = true,
                 .norm_bias = false,
                 .logit_multiplier = 0.0625},
    // a part of each head turns
    ModelDetails{.model_type = "gpt_neox", .rotary_part = 0.25},
    ModelDetails{.model_type = "stablelm", .rotary_part = 0.25},
    ModelDetails{.model_type = "phi", .rotary_part = 0.5, .head_bias = true}, gptj_details("gptj"),
    gptj_details("codegen"), learned_details("gpt2"), learned_details("gpt_bigcode"),
    learned_details("opt", 2),
    ModelDetails{
        .model_type = "gpt_neo", .positions = Positions::learned, .tied = true, .attention_scale = 1.0}};

}  // namespace

const ModelDetails& details_of(std::string_view model_type) {
  const auto found = std::ranges::find(kDetails, model_type, &ModelDetails::model_type);
  ensure(found != kDetails.end(), "each family has details");
  return *found;
}

}  // namespace kbsim::models
