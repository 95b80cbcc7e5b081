#include "kbsim/evaluate/model_config.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"

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
constexpr std::array<std::pair<std::string_view, DType>, 3> kTorchDtypes{
    {{"float16", f16}, {"bfloat16", bf16}, {"float32", f32}}};

/// The keys of one file.
class Keys {
 public:
  explicit Keys(const std::string& file) : file_{file} {
    boost::system::error_code error;
    constexpr std::size_t kMost = std::size_t{1} << 20U;  // what is larger, or has no end, is no config.json
    const std::string text = without_byte_order_mark(read_input(file, "--model " + file, kMost));
    const boost::json::value parsed = boost::json::parse(text, error);
    if (error) throw UsageError{fmt::format("--model {}: not JSON: {}", file, error.message())};
    if (!parsed.is_object()) throw UsageError{fmt::format("--model {}: not an object of keys", file)};
    keys_ = parsed.as_object();
  }

  [[nodiscard]] bool has(std::string_view key) const {
    const boost::json::value* found = keys_.if_contains(key);
    return found != nullptr && !found->is_null();
  }
  [[nodiscard]] std::int64_t size(std::string_view key, std::int64_t standard = 0) const {
    if (!has(key) && standard > 0) return standard;
    const boost::json::value* found = keys_.if_contains(key);
    if (found == nullptr) throw UsageError{fmt::format("--model {}: {} is missing", file_, key)};
    if (!found->is_int64() || found->as_int64() < 1 || found->as_int64() > 1 << 20)
      refuse(key, "1 to 1048576");
    return found->as_int64();
  }
  [[nodiscard]] double positive(std::string_view key) const {
    const boost::json::value& found = keys_.at(key);
    const double value = found.is_number() ? found.to_number<double>() : -1.0;
    if (!std::isfinite(value) || value < 0.0) refuse(key, "a finite number that isn't negative");
    return value;
  }
  [[nodiscard]] bool truth(std::string_view key) const {
    if (!has(key)) return false;
    if (!keys_.at(key).is_bool()) refuse(key, "true or false");
    return keys_.at(key).as_bool();
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

 private:
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const {
    throw UsageError{fmt::format("--model {}: {} is {}, expected {}", file_, key,
                                 boost::json::serialize(keys_.at(key)), expected)};
  }

  std::string file_;
  boost::json::object keys_;
};

}  // namespace

ModelConfig read_model_config(const std::string& file) {
  const Keys keys{file};
  ModelConfig model;
  model.hidden_size = keys.size("hidden_size");
  model.num_attention_heads = keys.size("num_attention_heads");
  model.num_key_value_heads = keys.size("num_key_value_heads", model.num_attention_heads);
  if (!keys.has("head_dim") && model.hidden_size % model.num_attention_heads != 0)
    throw UsageError{
        fmt::format("--model {}: hidden_size ({}) must be divisible by num_attention_heads ({}), "
                    "or head_dim be given",
                    file, model.hidden_size, model.num_attention_heads)};
  model.head_dim =
      keys.has("head_dim") ? keys.size("head_dim") : model.hidden_size / model.num_attention_heads;
  if (model.num_attention_heads % model.num_key_value_heads != 0)
    throw UsageError{
        fmt::format("--model {}: num_attention_heads ({}) must be divisible by "
                    "num_key_value_heads ({})",
                    file, model.num_attention_heads, model.num_key_value_heads)};
  model.intermediate_size = keys.size("intermediate_size", 4 * model.hidden_size);
  model.hidden_act = keys.one_of("hidden_act", kActs, HiddenAct::silu);
  model.num_hidden_layers = keys.size("num_hidden_layers", 1);
  const bool renamed = !keys.has("torch_dtype") && keys.has("dtype");
  model.torch_dtype = keys.one_of(renamed ? "dtype" : "torch_dtype", kTorchDtypes, f16);
  const bool layer_norm =
      !keys.has("rms_norm_eps") && (keys.has("layer_norm_eps") || keys.has("layer_norm_epsilon"));
  model.rms_norm = !layer_norm;
  for (const char* eps : {"rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps"}) {
    if (keys.has(eps)) model.norm_eps = keys.positive(eps);
  }
  model.attention_bias = keys.truth("attention_bias");
  model.mlp_bias = keys.truth("mlp_bias");
  return model;
}

}  // namespace kbsim::evaluate
