// Weights and caches of a plan: placement as the kernels read them, contents as drawn.
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/models/rope.hpp"

#include "llm_shapes.hpp"
#include "plan_tensors.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;
using models::Weight;
using topology::Split;

const topology::DPPolicy kColumnsOfCubes{.cube = Split::column_wise};
const topology::DPPolicy kColumnsOfPes{.cube = Split::column_wise, .pe = Split::column_wise};
const topology::DPPolicy kRowsOfPes{.cube = Split::row_wise, .pe = Split::row_wise};

// Parts of matrices side by side, or the rows of their biases: columns, and where they begin in the whole
// model's matrices, as the rows do.
struct Joined {
  std::array<Weight, 3> weights;
  std::array<std::int64_t, 3> columns{};
  std::array<std::int64_t, 3> first{};
  std::int64_t first_row = 0;

  [[nodiscard]] std::int64_t all() const { return columns[0] + columns[1] + columns[2]; }
};

Weight bias_of(Weight weight) { return static_cast<Weight>(static_cast<std::uint8_t>(weight) + 1); }

PlannedTensor matrix(const LlmPlan& plan, const Joined& of, std::int64_t rows, std::int64_t layer,
                     std::string name, const topology::DPPolicy& dp) {
  const auto element = [numbers = plan.numbers, of, layer](std::int64_t i) {
    std::int64_t column = i % of.all();
    std::size_t which = 0;
    while (column >= of.columns[which]) column -= of.columns[which++];
    return numbers(of.weights[which], layer, of.first_row + i / of.all(), of.first[which] + column);
  };
  return {.name = std::move(name),
          .shape = {rows, of.all()},
          .dtype = plan.problem.model.torch_dtype,
          .dp = dp,
          .held = Held::weights,
          .element = element};
}

Joined alone(Weight weight, std::int64_t columns, std::int64_t first = 0) {
  return {{weight, weight, weight}, {columns, 0, 0}, {first, 0, 0}};
}

// A rank's rows of a matrix, whose bias only one rank adds.
Joined rows_of(Weight weight, std::int64_t columns, std::int64_t first_row) {
  Joined rows = alone(weight, columns);
  rows.first_row = first_row;
  return rows;
}

struct ProductWeights {
  ProductName product{};
  Joined weight;
  std::int64_t rows = 0;
  bool bias = false;
};

ProductTensors add_product(LlmPlan& plan, const ProductWeights& of, std::int64_t layer,
                           const std::string& name) {
  const MappedProduct& mapped = plan.products.at(of.product).chosen;
  ProductTensors tensors;
  tensors.weight = add_tensor(plan, matrix(plan, of.weight, of.rows, layer, name, mapped.weight));
  if (!of.bias) return tensors;
  Joined bias = of.weight;
  bias.first_row = 0;
  for (Weight& weight : bias.weights) weight = bias_of(weight);
  tensors.bias = add_tensor(plan, matrix(plan, bias, 1, layer, name + " bias", mapped.bias));
  return tensors;
}

NormTensors add_norm(LlmPlan& plan, Weight weight, std::int64_t layer, const std::string& name) {
  const ModelConfig& model = plan.problem.model;
  const auto add = [&](Weight which, const std::string& called) {
    return add_tensor(plan, matrix(plan, alone(which, model.hidden_size), 1, layer, called, kColumnsOfCubes));
  };
  NormTensors tensors;
  if (model.norm_weight) tensors.weight = add(weight, name);
  if (model.has_norm_bias()) tensors.bias = add(bias_of(weight), name + " bias");
  return tensors;
}

// A norm of each head, in the memory of each PE.
TensorId add_head_norm(LlmPlan& plan, Weight weight, std::int64_t layer, const std::string& name) {
  const ModelConfig& model = plan.problem.model;
  if (!model.qk_norm) return TensorId::none;
  return add_tensor(plan, matrix(plan, alone(weight, model.head_dim), 1, layer, name, {}));
}

// The cache before the first phase.
TensorId add_cache(LlmPlan& plan, int which, std::int64_t layer, std::string name) {
  const LlmProblem& problem = plan.problem;
  const llm::KvCache cache = cache_of(plan);
  std::vector<std::int64_t> contexts;
  for (std::int64_t sequence = 0; sequence < problem.sequences(); ++sequence)
    contexts.push_back(problem.context_of(problem.phases.front(), sequence));
  const auto element = [numbers = plan.numbers, cache, contexts, which, layer,
                        share = plan.share](std::int64_t i) {
    const std::int64_t pe = i / cache.stride();
    const std::int64_t slot = i / cache.d % cache.slots();
    const std::int64_t own = i / cache.d / cache.slots() % cache.heads_per_pe();
    const std::int64_t sequence = i % cache.stride() / cache.d / cache.slots() / cache.heads_per_pe();
    const std::int64_t position = cache.position_of(cache.split_of(pe), slot);
    if (own >= cache.heads_of(pe).size || position >= contexts[static_cast<std::size_t>(sequence)])
      return 0.0;
    const std::int64_t head = share.first_kv_head + cache.heads_of(pe).begin + own;
    return numbers.cached(which, layer, share.first_sequence + sequence, position,
                          head * cache.d + i % cache.d);
  };
  return add_tensor(plan, {.name = std::move(name),
                           .shape = {plan.site.grid.all(), cache.stride()},
                           .dtype = problem.model.torch_dtype,
                           .dp = kRowsOfPes,
                           .held = Held::cache,
                           .element = element});
}

ProductTensors add_gate_up(LlmPlan& plan, std::int64_t layer, const std::string& name) {
  const ModelConfig& model = plan.problem.model;
  const auto add = [&](Weight weight, const char* called) {
    return add_product(plan,
                       {.product = ProductName::gate_up,
                        .weight = alone(weight, model.intermediate_size, plan.share.first_inner),
                        .rows = model.hidden_size,
                        .bias = model.mlp_bias},
                       layer, name + called);
  };
  if (!model.gated()) return add(Weight::up, "up");
  ProductTensors tensors = add(Weight::gate, "gate");
  const ProductTensors up = add(Weight::up, "up");
  tensors.up = up.weight;
  tensors.up_bias = up.bias;
  return tensors;
}

// A layer of the whole model.
LayerTensors add_layer(LlmPlan& plan, std::int64_t layer) {
  const ModelConfig& model = plan.problem.model;
  const std::string name = fmt::format("layer {} ", layer);
  const std::int64_t first_q = plan.share.first_head * model.head_dim;
  const std::int64_t first_kv = plan.share.first_kv_head * model.head_dim;
  LayerTensors tensors;
  tensors.input_norm = add_norm(plan, Weight::input_norm, layer, name + "input norm");
  tensors.qkv = add_product(plan,
                            {.product = ProductName::qkv,
                             .weight = {{Weight::q, Weight::k, Weight::v},
                                        {model.q_width(), model.kv_width(), model.kv_width()},
                                        {first_q, first_kv, first_kv}},
                             .rows = model.hidden_size,
                             .bias = model.attention_bias},
                            layer, name + "qkv");
  tensors.q_norm = add_head_norm(plan, Weight::q_norm, layer, name + "q norm");
  tensors.k_norm = add_head_norm(plan, Weight::k_norm, layer, name + "k norm");
  tensors.keys = add_cache(plan, 0, layer, name + "keys");
  tensors.values = add_cache(plan, 1, layer, name + "values");
  tensors.output = add_product(plan,
                               {.product = ProductName::output,
                                .weight = rows_of(Weight::output, model.hidden_size, first_q),
                                .rows = model.q_width(),
                                .bias = model.has_output_bias() && plan.share.adds_once()},
                               layer, name + "output");
  if (model.has_post_norm()) tensors.post_norm = add_norm(plan, Weight::post_norm, layer, name + "post norm");
  tensors.gate_up = add_gate_up(plan, layer, name);
  tensors.down = add_product(plan,
                             {.product = ProductName::down,
                              .weight = rows_of(Weight::down, model.hidden_size, plan.share.first_inner),
                              .rows = model.intermediate_size,
                              .bias = model.mlp_bias && plan.share.adds_once()},
                             layer, name + "down");
  return tensors;
}

// A row for each of some words: of the embedding, or of the head's matrix transposed.
TensorId add_vocabulary(LlmPlan& plan, Weight weight, std::string name, llm::Part words) {
  const ModelConfig& model = plan.problem.model;
  const bool turned = weight == Weight::head;
  const auto element = [numbers = plan.numbers, weight, turned, first = words.begin,
                        columns = model.hidden_size](std::int64_t i) {
    const std::int64_t word = first + i / columns;
    return turned ? numbers(weight, 0, i % columns, word) : numbers(weight, 0, word, i % columns);
  };
  return add_tensor(plan, {.name = std::move(name),
                           .shape = {words.size, model.hidden_size},
                           .dtype = model.torch_dtype,
                           .dp = kRowsOfPes,
                           .shared = true,
                           .held = Held::weights,
                           .element = element});
}

TensorId add_angles(LlmPlan& plan, std::string name, double (*function)(double)) {
  const ModelConfig& model = plan.problem.model;
  const std::vector<double> frequencies = models::rope_frequencies(model.rope, model.rotary_dims());
  const auto pairs = static_cast<std::int64_t>(frequencies.size());
  const auto element = [frequencies, pairs, function](std::int64_t i) {
    return function(static_cast<double>(i / pairs) * frequencies[static_cast<std::size_t>(i % pairs)]);
  };
  return add_tensor(plan, {.name = std::move(name),
                           .shape = {plan.problem.capacity(), pairs},
                           .dtype = f32,
                           .dp = {},
                           .element = element});
}

void add_numbered(LlmPlan& plan, std::int64_t layer) {
  const std::size_t first = plan.tensors.size();
  plan.layers.push_back(add_layer(plan, layer));
  for (PlannedTensor& tensor : std::span{plan.tensors}.subspan(first)) tensor.layer = layer;
}

}  // namespace

void add_layers(LlmPlan& plan) {
  for (std::int64_t layer = 0; layer < plan.problem.model.num_hidden_layers; ++layer)
    add_numbered(plan, plan.share.first_layer + layer);
}

// A tied head is the embedding where one rank has both whole.
void add_head(LlmPlan& plan) {
  const ModelConfig& model = plan.problem.model;
  const bool tied = model.tie_word_embeddings;
  const llm::Part words{plan.share.first_word, model.vocab_size};
  const bool same = tied && plan.embedding != TensorId::none && words.size == plan.share.vocabulary;
  plan.head =
      same ? plan.embedding : add_vocabulary(plan, tied ? Weight::embedding : Weight::head, "head", words);
  if (model.head_bias)
    plan.head_bias = add_tensor(plan, matrix(plan, alone(Weight::head_bias, words.size, words.begin), 1, 0,
                                             "head bias", kColumnsOfPes));
  if (model.final_norm) plan.final_norm = add_norm(plan, Weight::final_norm, 0, "final norm");
}

void add_ends(LlmPlan& plan) {
  const ModelConfig& model = plan.problem.model;
  if (plan.share.first_stage()) {
    plan.embedding = add_vocabulary(plan, Weight::embedding, "embedding", {0, plan.share.vocabulary});
    if (model.positions == models::Positions::learned)
      plan.positions = add_tensor(plan, matrix(plan, alone(Weight::positions, model.hidden_size),
                                               model.position_rows, 0, "positions", kColumnsOfCubes));
  }
  if (plan.share.last_stage()) add_head(plan);
  if (model.positions != models::Positions::rotary || model.rotary_dims() == 0) return;
  plan.cos = add_angles(plan, "cosines", [](double x) { return std::cos(x); });
  plan.sin = add_angles(plan, "sines", [](double x) { return std::sin(x); });
}

}  // namespace kbsim::inference
