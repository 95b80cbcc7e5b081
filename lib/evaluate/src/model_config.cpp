#include "kbsim/evaluate/model_config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/say.hpp"

#include "model_family.hpp"

namespace kbsim::evaluate {
namespace {

constexpr std::array<std::pair<std::string_view, HiddenAct>, 7> kActs{
    {{"relu", HiddenAct::relu},
     {"silu", HiddenAct::silu},
     {"swish", HiddenAct::silu},
     {"gelu", HiddenAct::gelu},
     {"gelu_new", HiddenAct::gelu_tanh},
     {"gelu_fast", HiddenAct::gelu_tanh},
     {"gelu_pytorch_tanh", HiddenAct::gelu_tanh}}};
constexpr std::array<std::pair<std::string_view, DType>, 6> kTorchDtypes{{{"float16", f16},
                                                                          {"bfloat16", bf16},
                                                                          {"float32", f32},
                                                                          {"torch.float16", f16},
                                                                          {"torch.bfloat16", bf16},
                                                                          {"torch.float32", f32}}};
// Kinds of layers that are simulated as attention over all positions.
constexpr auto kAttention = std::to_array<std::string_view>(
    {"attention", "full_attention", "sliding_attention", "chunked_attention", "global", "local"});
// Of one key, in several families.
using Names = std::vector<std::string_view>;
const Names kHidden = {"hidden_size", "n_embd", "n_embed", "d_model"};
const Names kHeads{"num_attention_heads", "n_head", "n_heads", "num_heads"};
const Names kKvHeads{"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"};
const Names kSideBySide{"use_parallel_residual", "parallel_attn"};

// Lines and columns count from 1.
std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, before.size() - line_begin + 1);
}

boost::json::value parsed_json(std::string_view text, const std::string& file) {
  boost::json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t at = parser.write_some(text.data(), text.size(), error);
  const auto refuse = [&](std::size_t where, const std::string& why) {
    throw UsageError{fmt::format("--model {}:{}: not JSON: {}", file, line_and_column(text, where), why)};
  };
  if (error) refuse(at, error.message());
  if (!parser.done()) refuse(text.size(), "it ends too early");
  const std::size_t more = text.find_first_not_of(" \t\r\n", at);
  if (more != std::string_view::npos) refuse(more, "something follows the JSON value");
  return parser.release();
}

/// The keys of one file.
class Keys {
 public:
  explicit Keys(const std::string& file) : file_{file} {
    constexpr std::size_t kMost = std::size_t{1} << 20U;  // what is larger, or has no end, is no config.json
    const std::string text = without_byte_order_mark(read_input(file, "--model " + file, kMost));
    const boost::json::value parsed = parsed_json(text, file);
    if (!parsed.is_object()) throw UsageError{fmt::format("--model {}: not an object of keys", file)};
    keys_ = parsed.as_object();
    if (!has(called(kHidden))) take_text_part();
  }

  [[nodiscard]] bool has(std::string_view key) const {
    const boost::json::value* found = keys_.if_contains(key);
    return found != nullptr && !found->is_null();
  }
  /// The name that the file has for it; the first one, if it has none.
  [[nodiscard]] std::string_view called(const Names& names) const {
    const auto found = std::ranges::find_if(names, [&](std::string_view name) { return has(name); });
    return found == names.end() ? names.front() : *found;
  }
  [[nodiscard]] std::int64_t size(std::string_view key, std::int64_t standard = 0) const {
    if (!has(key) && standard > 0) return standard;
    const boost::json::value* found = keys_.if_contains(key);
    if (found == nullptr) throw UsageError{fmt::format("--model {}: {} is missing", file_, key)};
    if (!found->is_int64() || found->as_int64() < 1 || found->as_int64() > 1 << 20)
      refuse(key, "1 to 1048576");
    return found->as_int64();
  }
  [[nodiscard]] std::int64_t size(const Names& names, std::int64_t standard = 0) const {
    return size(called(names), standard);
  }
  [[nodiscard]] double positive(std::string_view key) const {
    const boost::json::value& found = keys_.at(key);
    const double value = found.is_number() ? found.to_number<double>() : -1.0;
    if (!std::isfinite(value) || value < 0.0) refuse(key, "a finite number that isn't negative");
    return value;
  }
  [[nodiscard]] bool truth(std::string_view key, bool standard = false) const {
    if (!has(key)) return standard;
    if (!keys_.at(key).is_bool()) refuse(key, "true or false");
    return keys_.at(key).as_bool();
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    return has(key) && keys_.at(key).is_string() ? std::string{keys_.at(key).get_string()} : std::string{};
  }
  /// The texts of a list; none of what isn't one.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    if (!has(key) || !keys_.at(key).is_array()) return all;
    for (const boost::json::value& one : keys_.at(key).as_array()) {
      if (one.is_string()) all.emplace_back(one.get_string());
    }
    return all;
  }
  /// A key of a key that is an object.
  [[nodiscard]] bool has_inner(std::string_view key, std::string_view inner) const {
    return has(key) && keys_.at(key).is_object() && keys_.at(key).as_object().contains(inner);
  }
  template <class T, std::size_t N>
  [[nodiscard]] T one_of(std::string_view key, const std::array<std::pair<std::string_view, T>, N>& known,
                         T standard) const {
    if (!has(key)) return standard;
    std::string names;
    for (const auto& [name, meaning] : known) {
      if (keys_.at(key) == boost::json::value(name)) return meaning;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    refuse(key, "one of " + names);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  // Of a model of several parts, whose type of numbers may stand beside them.
  void take_text_part() {
    const boost::json::value* inner = keys_.if_contains("text_config");
    if (inner == nullptr || !inner->is_object()) return;
    boost::json::object text = inner->as_object();
    for (const std::string_view key : {"torch_dtype", "dtype"}) {
      if (has(key) && !text.contains(key)) text[key] = keys_.at(key);
    }
    keys_ = std::move(text);
  }

  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const {
    throw UsageError{fmt::format("--model {}: {} is {}, expected {}", file_, key,
                                 boost::json::serialize(keys_.at(key)), expected)};
  }

  std::string file_;
  boost::json::object keys_;
};

[[noreturn]] void refuse_layer(const Keys& keys, std::string_view why) {
  throw Unsupported{
      fmt::format("--model {}: {}; dense decoder layers of one kind are simulated", keys.file(), why)};
}

// What a layer of LLaMA's kind doesn't have.
void require_dense_decoder(const Keys& keys) {
  for (const char* experts : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}) {
    if (keys.has(experts) && keys.size(experts) > 1)
      refuse_layer(keys, fmt::format("a mixture of {} experts ({})", keys.size(experts), experts));
  }
  if (keys.has_inner("ffn_config", "moe_num_experts"))
    refuse_layer(keys, "a mixture of experts (ffn_config.moe_num_experts)");
  for (const char* kinds : {"layer_types", "layers_block_type", "block_types"}) {
    for (const std::string& kind : keys.texts(kinds)) {
      if (std::ranges::find(kAttention, kind) == kAttention.end())
        refuse_layer(keys, fmt::format("a layer of kind {} ({})", harmless(kind), kinds));
    }
  }
  if (keys.has("block_configs")) refuse_layer(keys, "each layer is another one (block_configs)");
  if (keys.has("kv_lora_rank")) refuse_layer(keys, "keys and values are compressed (kv_lora_rank)");
  if (keys.truth("is_encoder_decoder"))
    refuse_layer(keys, "an encoder beside the decoder (is_encoder_decoder)");
  const std::string type = keys.text("model_type");
  if (const std::string_view why = why_no_decoder(type); !why.empty())
    refuse_layer(keys, fmt::format("model_type {}: {}", type, why));
  if (!keys.truth("do_layer_norm_before", true))
    refuse_layer(keys, "norms follow the sums (do_layer_norm_before)");
}

// Falcon's new architecture has as many heads of keys as it says, and a norm for each half.
bool has_groups_of_heads(const Keys& keys) { return keys.truth("new_decoder_architecture"); }

std::int64_t kv_heads_of(const Keys& keys, const ModelFamily* family, std::int64_t heads) {
  const bool shared = keys.truth("multi_query", family != nullptr && family->shared_kv);
  return shared && !has_groups_of_heads(keys) ? 1 : keys.size(kKvHeads, heads);
}

MlpInput mlp_input_of(const Keys& keys, const ModelFamily* family) {
  const std::string_view key = keys.called(kSideBySide);
  if (!keys.truth(key, family != nullptr && family->side_by_side)) return MlpInput::attention_sum;
  if (has_groups_of_heads(keys) && keys.size("num_ln_in_parallel_attn", 2) == 2) return MlpInput::own_norm;
  return family != nullptr ? family->beside : MlpInput::own_norm;
}

void read_heads(const Keys& keys, const ModelFamily* family, ModelConfig& model) {
  const std::string_view hidden = keys.called(kHidden);
  const std::string_view heads = keys.called(kHeads);
  model.hidden_size = keys.size(hidden);
  model.num_attention_heads = keys.size(heads);
  const std::string_view head_dim = keys.called({"head_dim", "kv_channels"});
  model.num_key_value_heads = kv_heads_of(keys, family, model.num_attention_heads);
  if (!keys.has(head_dim) && model.hidden_size % model.num_attention_heads != 0)
    throw UsageError{fmt::format("--model {}: {} ({}) must be divisible by {} ({}), or head_dim be given",
                                 keys.file(), hidden, model.hidden_size, heads, model.num_attention_heads)};
  model.head_dim = keys.has(head_dim) ? keys.size(head_dim) : model.hidden_size / model.num_attention_heads;
  if (model.num_attention_heads % model.num_key_value_heads != 0)
    throw UsageError{fmt::format("--model {}: {} ({}) must be divisible by num_key_value_heads ({})",
                                 keys.file(), heads, model.num_attention_heads, model.num_key_value_heads)};
}

void read_mlp(const Keys& keys, const ModelFamily* family, ModelConfig& model) {
  model.intermediate_size =
      keys.size(Names{"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}, 4 * model.hidden_size);
  model.hidden_act = keys.one_of(keys.called({"hidden_act", "hidden_activation", "activation_function"}),
                                 kActs, family != nullptr ? family->act : HiddenAct::silu);
  if (family != nullptr) model.gated_mlp = family->gated;
  const bool standard = family != nullptr && family->mlp_bias;
  Names names{"mlp_bias", "enable_bias", "use_bias"};
  if (family != nullptr && !family->gated)
    names.emplace_back("bias");  // of Falcon; of others attention's alone
  model.mlp_bias = keys.truth(keys.called(names), standard);
}

void read_norm(const Keys& keys, const ModelFamily* family, ModelConfig& model) {
  const bool says_layer = keys.has("layer_norm_eps") || keys.has("layer_norm_epsilon");
  const bool standard = family == nullptr || family->rms_norm;
  model.rms_norm = keys.has("rms_norm_eps") || (!says_layer && standard);
  for (const char* eps : {"rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps"}) {
    if (keys.has(eps)) model.norm_eps = keys.positive(eps);
  }
}

void read_attention_bias(const Keys& keys, const ModelFamily* family, ModelConfig& model) {
  const std::string_view all = keys.called({"attention_bias", "bias", "enable_bias", "use_bias"});
  const std::string_view inputs_alone = keys.called({"add_qkv_bias", "use_qkv_bias"});
  const bool standard = family != nullptr && family->attention_bias;
  model.attention_bias = keys.truth(keys.has(inputs_alone) ? inputs_alone : all, standard);
  if (keys.has(inputs_alone) || (family != nullptr && !keys.has(all)))
    model.output_bias = family != nullptr && family->output_bias;
}

}  // namespace

ModelConfig read_model_config(const std::string& file) {
  const Keys keys{file};
  require_dense_decoder(keys);
  const ModelFamily* family = family_of(keys.text("model_type"));
  ModelConfig model;
  read_heads(keys, family, model);
  read_mlp(keys, family, model);
  read_norm(keys, family, model);
  read_attention_bias(keys, family, model);
  model.mlp_input = mlp_input_of(keys, family);
  model.num_hidden_layers = keys.size(Names{"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 1);
  model.torch_dtype = keys.one_of(keys.called({"torch_dtype", "dtype"}), kTorchDtypes, f16);
  return model;
}

}  // namespace kbsim::evaluate
