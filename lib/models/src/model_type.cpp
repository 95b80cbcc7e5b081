#include "model_type.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::models {
namespace {

// GPT2 of GPT2LMHeadModel.
std::string_view without_head(std::string_view name) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForSequenceClassification", "Model"});
  for (const std::string_view head : kEndings) {
    if (name.ends_with(head)) return name.substr(0, name.size() - head.size());
  }
  return name;
}

std::string letters_of_type(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

// A class spells its type differently: GPTNeoX, gpt_neox.
std::string type_of_class(const std::string& name) {
  const std::string wanted = letters_of_type(without_head(name));
  const std::vector<std::string> types = known_model_types();
  const auto found =
      std::ranges::find_if(types, [&](const std::string& type) { return letters_of_type(type) == wanted; });
  return found == types.end() ? name : *found;
}

void require_decoder(const ModelKeys& keys, std::string_view key, const std::string& name,
                     const std::string& type) {
  const std::string_view why = why_no_decoder(type);
  if (!why.empty())
    throw Unsupported{fmt::format("{}: {} {}: {}; dense decoders are simulated", keys.place(key), key,
                                  harmless(name), why)};
}

const ModelFamily* family_named(const ModelKeys& keys, std::string_view key, const std::string& name,
                                const std::string& type) {
  const std::string shown = harmless(name);
  if (const ModelFamily* family = family_of(type)) return family;
  throw Unsupported{fmt::format(
      "{}: {} '{}' isn't known: its keys don't say which norms, biases and gates its layers have{}",
      keys.place(key), key, shown, near_hint(shown, known_model_types()))};
}

// qwen2_vl_text is the text part of qwen2_vl.
std::string_view without_part(std::string_view type) {
  constexpr std::string_view kText = "_text";
  return type.ends_with(kText) ? type.substr(0, type.size() - kText.size()) : type;
}

// A class of a known type contradicts another type; classes of other names say nothing.
void require_one_type(const ModelKeys& keys, const std::string& type) {
  const std::vector<std::string> known = known_model_types();
  for (const std::string& name : keys.texts("architectures")) {
    const std::string of_class = type_of_class(name);
    const bool is_known = std::ranges::find(known, of_class) != known.end();
    if (is_known && without_part(of_class) != without_part(type))
      throw UsageError{fmt::format("{}: architectures has {}, a class of {}, but the model is {}",
                                   keys.place("architectures"), harmless(name), of_class, type)};
  }
}

[[noreturn]] void refuse_without_type(const ModelKeys& keys, std::string_view key, std::string_view why) {
  throw Unsupported{
      fmt::format("{}: {}, and the file has no model_type, which says it", keys.place(key), why)};
}

}  // namespace

const ModelFamily* family_in(const ModelKeys& keys) {
  for (const std::string& name : keys.texts("architectures"))
    require_decoder(keys, "architectures", name, type_of_class(name));
  if (const std::string type = keys.text("model_type"); !type.empty()) {
    require_decoder(keys, "model_type", type, type);
    const ModelFamily* family = family_named(keys, "model_type", type, type);
    require_one_type(keys, type);
    return family;
  }
  for (const std::string& name : keys.texts("architectures")) {
    const ModelFamily* family = family_named(keys, "architectures", name, type_of_class(name));
    require_one_type(keys, type_of_class(name));
    return family;
  }
  return nullptr;
}

void require_like_llama(const ModelKeys& keys, const ModelConfig& model) {
  for (const std::string_view key : {"n_embd", "n_embed", "d_model", "n_head", "n_heads", "num_heads"}) {
    if (keys.has(key))
      refuse_without_type(keys, key,
                          fmt::format("{} is a key of several families with different layers", key));
  }
  if (model.hidden_act != HiddenAct::silu)
    refuse_without_type(keys, keys.called({"hidden_activation", "hidden_act", "activation_function"}),
                        "whether an MLP of this activation has a gate isn't known");
  if (model.mlp_input != MlpInput::attention_sum)
    refuse_without_type(keys, keys.called({"use_parallel_residual", "parallel_attn"}),
                        "whether the MLP beside attention has a norm of its own isn't known");
}

}  // namespace kbsim::models
