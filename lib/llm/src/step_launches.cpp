#include "step_launches.hpp"

#include <cmath>
#include <utility>

#include "kbsim/kernels/llm/decode_attention.hpp"
#include "kbsim/kernels/llm/norm_rows.hpp"
#include "kbsim/kernels/llm/prefill_attention.hpp"
#include "kbsim/kernels/llm/product.hpp"
#include "kbsim/kernels/llm/vocabulary.hpp"

#include "llm_shapes.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;

llm::Activate activate_of(models::HiddenAct act) {
  switch (act) {
    case models::HiddenAct::relu: return llm::Activate::relu;
    case models::HiddenAct::silu: return llm::Activate::silu;
    case models::HiddenAct::gelu: return llm::Activate::gelu;
    case models::HiddenAct::gelu_tanh: break;
  }
  return llm::Activate::gelu_tanh;
}

/// An activation's tensor with its columns.
struct Operand {
  TensorId tensor{};
  std::int64_t columns = 0;
};

class LaunchList {
 public:
  LaunchList(const LlmPlan& plan, const std::vector<host::Tensor>& tensors, std::size_t phase, bool values)
      : plan_{plan},
        tensors_{tensors},
        phase_{phase},
        own_{plan.phases[phase]},
        rows_{plan.problem.rows(plan.problem.phases[phase])},
        values_{values} {}

  void embedding();
  void layer(std::int64_t layer);
  void head();
  [[nodiscard]] std::vector<StepLaunch> take() { return std::move(launches_); }

 private:
  struct ProductCall {
    std::string_view operation;
    ProductName name{};
    ProductTensors weights;
    Operand from, to;
    bool adds_residual = false;
    llm::Activate act = llm::Activate::none;
    bool gated = false;
  };

  [[nodiscard]] const ModelConfig& model() const { return plan_.problem.model; }
  [[nodiscard]] Phase phase() const { return plan_.problem.phases[phase_]; }
  [[nodiscard]] const host::Tensor& tensor(TensorId id) const {
    return tensors_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Ptr ptr(TensorId id) const { return id == TensorId::none ? Ptr{} : tensor(id).ptr(); }
  [[nodiscard]] llm::Activation activation(std::int64_t rows, const Operand& of) const {
    llm::Activation x = activation_of(plan_.site.grid, rows, of.columns);
    x.base = tensor(of.tensor).ptr();
    return x;
  }
  [[nodiscard]] Operand x() const { return {own_.x, model().hidden_size}; }
  [[nodiscard]] Operand normal() const { return {own_.normal, model().hidden_size}; }
  [[nodiscard]] llm::Scratch scratch() const { return {ptr(plan_.scratch), plan_.scratch_size}; }

  void add(std::string_view operation, std::string kernel, std::vector<TensorId> tensors, std::any args,
           bool alone = false);
  void norm(std::string_view operation, const NormTensors& of, const Operand& from, const Operand& to,
            std::int64_t rows);
  void product(const ProductCall& call);
  void qkv(const LayerTensors& of);
  void attention(const LayerTensors& of, const models::LayerKind& kind);
  void mlp(const LayerTensors& of);
  [[nodiscard]] llm::KvCache cache(const LayerTensors& of) const;
  [[nodiscard]] llm::RotaryTables rotary(const models::LayerKind& kind) const;

  const LlmPlan& plan_;
  const std::vector<host::Tensor>& tensors_;
  std::size_t phase_;
  const PhaseTensors& own_;
  std::int64_t rows_;
  bool values_;
  std::int64_t layer_ = -1;
  std::vector<StepLaunch> launches_;
};

void LaunchList::add(std::string_view operation, std::string kernel, std::vector<TensorId> tensors,
                     std::any args, bool alone) {
  StepLaunch launch{.operation = operation,
                    .layer = layer_,
                    .kernel = std::move(kernel),
                    .tensors = {},
                    .args = std::move(args),
                    .alone = alone};
  for (const TensorId id : tensors) {
    if (id != TensorId::none) launch.tensors.push_back(tensor(id));
  }
  launches_.push_back(std::move(launch));
}

void LaunchList::embedding() {
  const llm::EmbeddingRowsArgs args{.grid = plan_.site.grid,
                                    .ids = ptr(own_.ids),
                                    .table = ptr(plan_.embedding),
                                    .vocabulary = model().vocab_size,
                                    .multiplier = model().embedding_multiplier,
                                    .positions = ptr(plan_.positions),
                                    .position_rows = model().position_rows,
                                    .places = own_.places.empty() ? nullptr : &own_.places,
                                    .y = activation(rows_, x()),
                                    .drawn = !values_,
                                    .seed = plan_.problem.seed};
  add("embedding", "embedding_rows", {own_.x, own_.ids, plan_.embedding, plan_.positions}, args);
}

void LaunchList::norm(std::string_view operation, const NormTensors& of, const Operand& from,
                      const Operand& to, std::int64_t rows) {
  const llm::NormArgs args{.grid = plan_.site.grid,
                           .x = activation(rows, from),
                           .y = activation(rows, to),
                           .weight = ptr(of.weight),
                           .bias = ptr(of.bias),
                           .has_weight = of.weight != TensorId::none,
                           .has_bias = of.bias != TensorId::none,
                           .plus_one = model().norm_plus_one,
                           .eps = model().norm_eps};
  add(operation, model().rms_norm ? "rms_norm_rows" : "layer_norm_rows",
      {to.tensor, from.tensor, of.weight, of.bias}, args);
}

void LaunchList::product(const ProductCall& call) {
  const MappedProduct& mapped = plan_.products.at(call.name).chosen;
  const ProductStep& step = mapped.steps[phase_];
  llm::ProductArgs args{.grid = plan_.site.grid,
                        .x = activation(rows_, call.from),
                        .y = activation(rows_, call.to),
                        .w = ptr(call.weights.weight),
                        .up = ptr(call.weights.up),
                        .bias = ptr(call.weights.bias),
                        .up_bias = ptr(call.weights.up_bias),
                        .gated = call.gated,
                        .has_bias = call.weights.bias != TensorId::none,
                        .has_residual = call.adds_residual,
                        .act = call.act,
                        .multiplier = call.adds_residual ? model().residual_multiplier : 1.0,
                        .scratch = scratch(),
                        .chunks = step.chunks,
                        .keeps_weights = step.keeps_weights};
  if (call.adds_residual) args.residual = args.y;
  add(call.operation, mapped.kernel,
      {call.to.tensor, call.from.tensor, call.weights.weight, call.weights.up, call.weights.bias,
       call.weights.up_bias, plan_.scratch},
      args);
}

llm::KvCache LaunchList::cache(const LayerTensors& of) const {
  llm::KvCache cache = cache_of(plan_);
  cache.keys = ptr(of.keys);
  cache.values = ptr(of.values);
  return cache;
}

llm::RotaryTables LaunchList::rotary(const models::LayerKind& kind) const {
  const bool turns = plan_.cos != TensorId::none && kind.rotary;
  if (!turns) return {.cos = {.va = 0, .dtype = f32}, .sin = {.va = 0, .dtype = f32}};
  return {.cos = ptr(plan_.cos),
          .sin = ptr(plan_.sin),
          .dims = model().rotary_dims(),
          .interleaved = model().rope.interleaved};
}

void LaunchList::attention(const LayerTensors& of, const models::LayerKind& kind) {
  const Operand qkv{own_.qkv, qkv_width(model())};
  const Operand out{own_.attended, model().q_width()};
  const double scale =
      model().attention_scale.value_or(1.0 / std::sqrt(static_cast<double>(model().head_dim)));
  const std::vector<TensorId> tensors{own_.attended, own_.qkv,  of.keys,   of.values,  plan_.cos,
                                      plan_.sin,     of.q_norm, of.k_norm, plan_.stage};
  const llm::HeadNormArgs norms{
      .q = ptr(of.q_norm), .k = ptr(of.k_norm), .eps = model().norm_eps, .given = model().qk_norm};
  if (phase() == Phase::decode) {
    const bool ragged = !plan_.problem.has(Phase::prefill) && !plan_.problem.contexts.empty();
    const llm::DecodeAttentionArgs args{.qkv = activation(rows_, qkv),
                                        .out = activation(rows_, out),
                                        .cache = cache(of),
                                        .heads = model().num_attention_heads,
                                        .norms = norms,
                                        .rotary = rotary(kind),
                                        .scale = scale,
                                        .window = kind.window,
                                        .context = plan_.problem.decode_context(),
                                        .contexts = ragged ? &plan_.problem.contexts : nullptr};
    return add("attention", "decode_attention", tensors, args, true);
  }
  const llm::PrefillAttentionArgs args{.qkv = activation(rows_, qkv),
                                       .out = activation(rows_, out),
                                       .cache = cache(of),
                                       .heads = model().num_attention_heads,
                                       .norms = norms,
                                       .rotary = rotary(kind),
                                       .scale = scale,
                                       .window = kind.window,
                                       .sequences = plan_.problem.batch,
                                       .stage = {ptr(plan_.stage), plan_.tensor(plan_.stage).shape[1]},
                                       .stage_slots = plan_.stage_slots};
  add("attention", "prefill_attention", tensors, args, true);
}

void LaunchList::mlp(const LayerTensors& of) {
  const Operand inner{own_.inner, model().intermediate_size};
  product({.operation = "gate/up",
           .name = ProductName::gate_up,
           .weights = of.gate_up,
           .from = normal(),
           .to = inner,
           .act = activate_of(model().hidden_act),
           .gated = model().gated()});
  product({.operation = "down",
           .name = ProductName::down,
           .weights = of.down,
           .from = inner,
           .to = x(),
           .adds_residual = true});
}

// x becomes x + attention(norm(x)) + mlp(...): the MLP's own norm of x, if it has one, comes before x
// changes.
void LaunchList::layer(std::int64_t layer) {
  layer_ = layer;
  const LayerTensors& of = plan_.layers[static_cast<std::size_t>(layer)];
  const bool own_norm = model().mlp_input == models::MlpInput::own_norm;
  norm("input norm", of.input_norm, x(), normal(), rows_);
  product({.operation = "qkv",
           .name = ProductName::qkv,
           .weights = of.qkv,
           .from = normal(),
           .to = {own_.qkv, qkv_width(model())}});
  if (own_norm) norm("post norm", of.post_norm, x(), normal(), rows_);
  attention(of, model().layer_kind(layer));
  product({.operation = "output",
           .name = ProductName::output,
           .weights = of.output,
           .from = {own_.attended, model().q_width()},
           .to = x(),
           .adds_residual = true});
  if (model().mlp_input == models::MlpInput::attention_sum)
    norm("post norm", of.post_norm, x(), normal(), rows_);
  mlp(of);
  layer_ = -1;
}

void LaunchList::head() {
  const std::int64_t rows = plan_.problem.step(phase()).logit_rows();
  Operand last{own_.last, model().hidden_size};
  if (rows != rows_) {
    llm::TakeRowsArgs args{.grid = plan_.site.grid, .x = activation(rows_, x()), .y = activation(rows, last)};
    for (std::int64_t i = 0; i < rows; ++i)
      args.rows.at(static_cast<std::size_t>(i)) = static_cast<std::int32_t>((i + 1) * rows_ / rows - 1);
    add("last rows", "take_rows", {own_.last, own_.x}, args);
  }
  if (model().final_norm) norm("final norm", plan_.final_norm, last, last, rows);
  const llm::HeadRowsArgs args{.grid = plan_.site.grid,
                               .x = activation(rows, last),
                               .w = ptr(plan_.head),
                               .vocabulary = model().vocab_size,
                               .bias = ptr(plan_.head_bias),
                               .has_bias = model().head_bias,
                               .multiplier = model().logit_multiplier,
                               .logits = ptr(own_.logits),
                               .stores_logits = values_,
                               .tokens = ptr(own_.tokens),
                               .scratch = scratch()};
  add("head", "head_rows", {own_.last, plan_.head, plan_.head_bias, own_.logits, own_.tokens, plan_.scratch},
      args);
}

}  // namespace

std::vector<StepLaunch> launches_of(const LlmPlan& plan, const std::vector<host::Tensor>& tensors,
                                    std::size_t phase, bool values) {
  LaunchList list{plan, tensors, phase, values};
  list.embedding();
  for (std::int64_t layer = 0; layer < plan.problem.model.num_hidden_layers; ++layer) list.layer(layer);
  list.head();
  return list.take();
}

}  // namespace kbsim::inference
