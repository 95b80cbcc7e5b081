// The arithmetic of a model's operations. Weights, keys and queries count as often as they are needed, not as
// a machine moves them.
#include "kbsim/models/model_operations.hpp"

#include <initializer_list>
#include <utility>

#include "kbsim/models/model_weights.hpp"

namespace kbsim::models {
namespace {

using WeightNames = std::initializer_list<Weight>;

/// Operations of a step, one after the other.
class OperationList {
 public:
  OperationList(std::vector<WeightShape> shapes, const Storage& storage)
      : shapes_{std::move(shapes)}, storage_{storage} {}

  /// `read` and `written` are elements of activations.
  void add(OperationKind kind, Work work, std::int64_t read, std::int64_t written) {
    work.activations_read = read * storage_.activation;
    work.activations_written = written * storage_.activation;
    all_.push_back({.kind = kind, .work = work});
  }
  /// An operation on elements that leaves the same number of them.
  void add_each(OperationKind kind, std::int64_t elements, WeightNames weights = {}) {
    add(kind, {.weight_bytes = bytes(weights), .elements = elements}, elements, elements);
  }
  [[nodiscard]] Work product(std::int64_t rows, WeightNames matrices, WeightNames biases) const {
    return {.flop = 2 * rows * elements(matrices), .weight_bytes = bytes(matrices) + bytes(biases)};
  }
  [[nodiscard]] std::vector<Operation> take() { return std::move(all_); }

 private:
  [[nodiscard]] std::int64_t elements(WeightNames names) const {
    std::int64_t sum = 0;
    for (const Weight name : names) {
      for (const WeightShape& shape : shapes_) sum += shape.weight == name ? shape.elements() : 0;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t bytes(WeightNames names) const { return elements(names) * storage_.weight; }

  std::vector<WeightShape> shapes_;
  Storage storage_;
  std::vector<Operation> all_;
};

void add_queries_and_keys(OperationList& list, const ModelConfig& model, const LayerKind& kind,
                          std::int64_t rows) {
  const std::int64_t width = model.q_width() + model.kv_width();
  const std::int64_t heads = model.num_attention_heads + model.num_key_value_heads;
  list.add(
      OperationKind::qkv,
      list.product(rows, {Weight::q, Weight::k, Weight::v}, {Weight::q_bias, Weight::k_bias, Weight::v_bias}),
      rows * model.hidden_size, rows * (width + model.kv_width()));
  if (model.qk_norm) list.add_each(OperationKind::qk_norm, rows * width, {Weight::q_norm, Weight::k_norm});
  if (model.positions == Positions::rotary && kind.rotary)
    list.add_each(OperationKind::rotary, rows * heads * model.rotary_dims());
}

void add_attention_work(OperationList& list, const ModelConfig& model, const LayerKind& kind,
                        const Step& step, const Storage& storage) {
  const std::int64_t seen = step.keys_seen(kind.window);
  const std::int64_t key_and_value = 2 * model.kv_width() * storage.cache;
  list.add(OperationKind::attention,
           {.flop = 4 * model.q_width() * seen,
            .cache_read = key_and_value * step.keys_touched(kind.window),
            .cache_written = key_and_value * step.rows(),
            .elements = model.num_attention_heads * seen},
           step.rows() * (model.q_width() + 2 * model.kv_width()), step.rows() * model.q_width());
  list.add(OperationKind::output, list.product(step.rows(), {Weight::output}, {Weight::output_bias}),
           step.rows() * model.q_width(), step.rows() * model.hidden_size);
}

void add_residual(OperationList& list, std::int64_t elements) {
  list.add(OperationKind::residual, {.elements = elements}, 2 * elements, elements);
}

void add_mlp_work(OperationList& list, const ModelConfig& model, std::int64_t rows) {
  const std::int64_t inner = rows * model.intermediate_size;
  const std::int64_t outer = rows * model.hidden_size;
  if (model.has_post_norm())
    list.add_each(OperationKind::post_norm, outer, {Weight::post_norm, Weight::post_norm_bias});
  Work gate_up = list.product(rows, {Weight::gate, Weight::up}, {Weight::gate_bias, Weight::up_bias});
  gate_up.elements = inner;
  list.add(OperationKind::gate_up, gate_up, outer, inner);
  list.add(OperationKind::down, list.product(rows, {Weight::down}, {Weight::down_bias}), inner, outer);
  add_residual(list, outer);
}

}  // namespace

Work& Work::operator+=(const Work& more) {
  flop += more.flop;
  weight_bytes += more.weight_bytes;
  cache_read += more.cache_read;
  cache_written += more.cache_written;
  elements += more.elements;
  activations_read += more.activations_read;
  activations_written += more.activations_written;
  return *this;
}

std::vector<Operation> embedding_operations(const ModelConfig& model, const Step& step,
                                            const Storage& storage) {
  OperationList list{{}, storage};
  const std::int64_t elements = step.rows() * model.hidden_size;
  const std::int64_t tables = model.positions == Positions::learned ? 2 : 1;
  list.add(OperationKind::embedding,
           {.weight_bytes = tables * elements * storage.weight, .elements = elements}, 0, elements);
  return list.take();
}

std::vector<Operation> layer_operations(const ModelConfig& model, const LayerKind& kind, const Step& step,
                                        const Storage& storage) {
  OperationList list{layer_weights(model), storage};
  const std::int64_t elements = step.rows() * model.hidden_size;
  list.add_each(OperationKind::input_norm, elements, {Weight::input_norm, Weight::input_norm_bias});
  add_queries_and_keys(list, model, kind, step.rows());
  add_attention_work(list, model, kind, step, storage);
  add_residual(list, elements);
  add_mlp_work(list, model, step.rows());
  return list.take();
}

std::vector<Operation> head_operations(const ModelConfig& model, const Step& step, const Storage& storage) {
  OperationList list{weights_beside_layers(model), storage};
  const std::int64_t elements = step.logit_rows() * model.hidden_size;
  const std::int64_t logits = step.logit_rows() * model.vocab_size;
  if (model.final_norm)
    list.add_each(OperationKind::final_norm, elements, {Weight::final_norm, Weight::final_norm_bias});
  const Weight matrix = model.tie_word_embeddings ? Weight::embedding : Weight::head;
  list.add(OperationKind::head, list.product(step.logit_rows(), {matrix}, {Weight::head_bias}), elements,
           logits);
  list.add(OperationKind::choice, {.elements = logits}, logits, 0);
  return list.take();
}

Work sum_of(const std::vector<Operation>& operations) {
  Work sum;
  for (const Operation& operation : operations) sum += operation.work;
  return sum;
}

Work step_work(const ModelConfig& model, const Step& step, const Storage& storage) {
  Work sum = sum_of(embedding_operations(model, step, storage));
  for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer)
    sum += sum_of(layer_operations(model, model.layer_kind(layer), step, storage));
  return sum += sum_of(head_operations(model, step, storage));
}

std::int64_t cache_bytes(const ModelConfig& model, std::int64_t tokens, const Storage& storage) {
  return model.num_hidden_layers * 2 * model.kv_width() * tokens * storage.cache;
}

}  // namespace kbsim::models
