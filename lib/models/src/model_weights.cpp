#include "kbsim/models/model_weights.hpp"

#include <array>
#include <cstddef>

namespace kbsim::models {
namespace {

using Shapes = std::vector<WeightShape>;

constexpr auto kNamesOfWeights = std::to_array<std::string_view>(
    {"embedding", "positions",   "input_norm", "input_norm_bias", "q",          "q_bias",
     "k",         "k_bias",      "v",          "v_bias",          "q_norm",     "k_norm",
     "output",    "output_bias", "post_norm",  "post_norm_bias",  "gate",       "gate_bias",
     "up",        "up_bias",     "down",       "down_bias",       "final_norm", "final_norm_bias",
     "head",      "head_bias"});
static_assert(kNamesOfWeights.size() == static_cast<std::size_t>(Weight::head_bias) + 1);

// A bias is the weight after its matrix.
Weight after(Weight weight) { return static_cast<Weight>(static_cast<std::uint8_t>(weight) + 1); }

void add_linear(Shapes& shapes, Weight matrix, std::int64_t in, std::int64_t out, bool bias) {
  shapes.push_back({matrix, in, out});
  if (bias) shapes.push_back({after(matrix), 1, out});
}

void add_norm(Shapes& shapes, Weight norm, const ModelConfig& model) {
  if (model.norm_weight) shapes.push_back({norm, 1, model.hidden_size});
  if (model.has_norm_bias()) shapes.push_back({after(norm), 1, model.hidden_size});
}

void add_attention(Shapes& shapes, const ModelConfig& model) {
  const std::int64_t hidden = model.hidden_size;
  add_linear(shapes, Weight::q, hidden, model.q_width(), model.attention_bias);
  add_linear(shapes, Weight::k, hidden, model.kv_width(), model.attention_bias);
  add_linear(shapes, Weight::v, hidden, model.kv_width(), model.attention_bias);
  if (model.qk_norm) {
    shapes.push_back({Weight::q_norm, 1, model.head_dim});
    shapes.push_back({Weight::k_norm, 1, model.head_dim});
  }
  add_linear(shapes, Weight::output, model.q_width(), hidden, model.has_output_bias());
}

void add_mlp(Shapes& shapes, const ModelConfig& model) {
  const std::int64_t inner = model.intermediate_size;
  if (model.gated()) add_linear(shapes, Weight::gate, model.hidden_size, inner, model.mlp_bias);
  add_linear(shapes, Weight::up, model.hidden_size, inner, model.mlp_bias);
  add_linear(shapes, Weight::down, inner, model.hidden_size, model.mlp_bias);
}

std::int64_t elements_of(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const WeightShape& shape : shapes) sum += shape.elements();
  return sum;
}

}  // namespace

std::string_view to_string(Weight weight) { return kNamesOfWeights.at(static_cast<std::size_t>(weight)); }

std::vector<WeightShape> layer_weights(const ModelConfig& model) {
  Shapes shapes;
  add_norm(shapes, Weight::input_norm, model);
  add_attention(shapes, model);
  if (model.has_post_norm()) add_norm(shapes, Weight::post_norm, model);
  add_mlp(shapes, model);
  return shapes;
}

std::vector<WeightShape> weights_beside_layers(const ModelConfig& model) {
  Shapes shapes{{Weight::embedding, model.vocab_size, model.hidden_size}};
  if (model.positions == Positions::learned)
    shapes.push_back({Weight::positions, model.position_rows, model.hidden_size});
  if (model.final_norm) add_norm(shapes, Weight::final_norm, model);
  if (!model.tie_word_embeddings) shapes.push_back({Weight::head, model.hidden_size, model.vocab_size});
  if (model.head_bias) shapes.push_back({Weight::head_bias, 1, model.vocab_size});
  return shapes;
}

std::int64_t parameters(const ModelConfig& model) {
  return elements_of(weights_beside_layers(model)) +
         model.num_hidden_layers * elements_of(layer_weights(model));
}

}  // namespace kbsim::models
