#include "step_launches.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "kbsim/kernels/llm/add_rows.hpp"
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
  LaunchList(const LlmPlan& plan, const std::vector<host::Tensor>& tensors, std::size_t phase, int part,
             bool values)
      : plan_{plan},
        tensors_{tensors},
        phase_{phase},
        part_number_{part},
        first_sequence_{part * (plan.problem.batch / plan.problem.micro_batches)},
        own_{plan.phases[phase]},
        rows_{plan.problem.rows_at_once(plan.problem.phases[phase])},
        own_rows_{plan.share.own_rows(plan.problem.phases[phase])},
        values_{values} {}

  void embedding();
  void layer(std::int64_t layer);
  void head();
  void send() { transfer("send", Transfer::Kind::send, own_.x, own_.x); }
  void receive() { transfer("receive", Transfer::Kind::receive, own_.x, own_.x); }
  [[nodiscard]] std::vector<StepLaunch> take() { return std::move(launches_); }

 private:
  struct ProductCall {
    std::string_view operation;
    ProductName name{};
    ProductTensors weights;
    Operand from, to;
    bool adds_residual = false;
    double multiplier = 1.0;  // of a product that is added to x
    llm::Activate act = llm::Activate::none;
    bool gated = false;
  };

  [[nodiscard]] const ModelConfig& model() const { return plan_.problem.model; }
  [[nodiscard]] Phase phase() const { return plan_.problem.phases[phase_]; }
  [[nodiscard]] const host::Tensor& tensor(TensorId id) const {
    return tensors_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t number() const { return static_cast<std::size_t>(part_number_); }
  // The micro-batch's elements of a list that has those of all.
  [[nodiscard]] Ptr of_part(TensorId id, std::int64_t each) const {
    return id == TensorId::none ? Ptr{} : ptr(id) + part_number_ * each;
  }
  [[nodiscard]] Ptr ptr(TensorId id) const { return id == TensorId::none ? Ptr{} : tensor(id).ptr(); }
  [[nodiscard]] llm::Activation activation(std::int64_t rows, const Operand& of) const {
    llm::Activation x = activation_of(plan_.site.grid, rows, of.columns);
    x.base = tensor(of.tensor).ptr();
    x.holders = static_cast<int>(plan_.tensor(of.tensor).shape[0] / plan_.site.grid.cubes());
    return x;
  }
  [[nodiscard]] Operand x() const { return {own_.x, model().hidden_size}; }
  [[nodiscard]] Operand normal() const { return {own_.normal, model().hidden_size}; }
  [[nodiscard]] Operand all_normal() const { return {own_.all_normal, model().hidden_size}; }
  [[nodiscard]] Operand qkv() const { return {own_.qkv, qkv_width(model())}; }
  [[nodiscard]] Operand attended() const { return {own_.attended, model().q_width()}; }
  [[nodiscard]] Operand sum() const { return {own_.sum, model().hidden_size}; }
  [[nodiscard]] llm::Scratch scratch() const { return {ptr(plan_.scratch), plan_.scratch_size}; }

  [[nodiscard]] const Division& division() const { return plan_.share.division; }
  [[nodiscard]] bool sums_once() const { return plan_.problem.sums_once(); }

  void add(std::string_view operation, std::string kernel, const std::vector<TensorId>& tensors,
           std::any args, bool alone = false);
  void transfer(std::string_view operation, Transfer::Kind kind, TensorId from, TensorId to);
  void gather(TensorId from, TensorId to);
  void add_up(ProductName parts);
  void norm(std::string_view operation, const NormTensors& of, const Operand& from, const Operand& to,
            std::int64_t rows);
  void product(const ProductCall& call);
  void attention(const LayerTensors& of, const models::LayerKind& kind);
  void attend_one_row_each(const LayerTensors& of, const models::LayerKind& kind);
  void attend_many_rows(const LayerTensors& of, const models::LayerKind& kind);
  [[nodiscard]] std::vector<TensorId> attention_tensors(const LayerTensors& of) const;
  [[nodiscard]] llm::HeadNormArgs head_norms(const LayerTensors& of) const;
  [[nodiscard]] double attention_scale() const;
  void mlp(const LayerTensors& of);
  void post_norm(const LayerTensors& of);
  [[nodiscard]] llm::KvCache cache(const LayerTensors& of) const;
  [[nodiscard]] llm::RotaryTables rotary(const models::LayerKind& kind) const;

  const LlmPlan& plan_;
  const std::vector<host::Tensor>& tensors_;
  std::size_t phase_;
  int part_number_;              // of the micro-batch
  std::int64_t first_sequence_;  // of it
  const PhaseTensors& own_;
  std::int64_t rows_;
  std::int64_t own_rows_;
  bool values_;
  std::int64_t layer_ = -1;
  ModelPart part_ = ModelPart::embedding;
  std::vector<StepLaunch> launches_;
};

// Scratch has a part on each PE, which some activations of few rows have not.
void LaunchList::add(std::string_view operation, std::string kernel, const std::vector<TensorId>& tensors,
                     std::any args, bool alone) {
  StepLaunch launch{.operation = operation,
                    .layer = layer_,
                    .part = part_,
                    .kernel = std::move(kernel),
                    .tensors = {tensor(plan_.scratch)},
                    .args = std::move(args),
                    .alone = alone};
  for (const TensorId id : tensors) {
    if (id != TensorId::none) launch.tensors.push_back(tensor(id));
  }
  launches_.push_back(std::move(launch));
}

void LaunchList::transfer(std::string_view operation, Transfer::Kind kind, TensorId from, TensorId to) {
  launches_.push_back({.operation = operation,
                       .layer = layer_,
                       .kernel = {},
                       .tensors = {},
                       .args = {},
                       .transfer = Transfer{.kind = kind, .from = tensor(from), .to = tensor(to)}});
}

// All rows on each rank that divides the layer, where rows are divided.
void LaunchList::gather(TensorId from, TensorId to) {
  if (plan_.share.divides_rows()) transfer("all-gather", Transfer::Kind::all_gather, from, to);
}

// x becomes the sum over the ranks that divide the layer, unless the product has added up its parts.
void LaunchList::add_up(ProductName parts) {
  if (division().tp == 1 || plan_.products.at(parts).chosen.adds_up) return;
  if (!plan_.share.divides_rows()) return transfer("all-reduce", Transfer::Kind::all_reduce, own_.x, own_.x);
  transfer("reduce-scatter", Transfer::Kind::reduce_scatter, own_.sum, own_.normal);
  const llm::AddRowsArgs args{
      .grid = plan_.site.grid, .x = activation(own_rows_, x()), .more = activation(own_rows_, normal())};
  add("residual", "add_rows", {own_.x, own_.normal}, args);
}

void LaunchList::embedding() {
  const llm::EmbeddingRowsArgs args{.grid = plan_.site.grid,
                                    .ids = of_part(own_.ids, own_rows_),
                                    .table = ptr(plan_.embedding),
                                    .vocabulary = plan_.share.vocabulary,
                                    .multiplier = model().embedding_multiplier,
                                    .positions = ptr(plan_.positions),
                                    .position_rows = model().position_rows,
                                    .places = own_.places.empty() ? nullptr : &own_.places[number()],
                                    .y = activation(own_rows_, x()),
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
                        .multiplier = call.multiplier,
                        .scratch = scratch(),
                        .chunks = step.chunks,
                        .keeps_weights = step.keeps_weights};
  if (call.adds_residual) args.residual = args.y;
  if (mapped.adds_up)
    args.over = {.packages = division().tp,
                 .own = plan_.share.at.tp,
                 .first = division().rank_of({0, plan_.share.at.pp, plan_.share.at.dp})};
  add(call.operation, mapped.kernel,
      {call.to.tensor, call.from.tensor, call.weights.weight, call.weights.up, call.weights.bias,
       call.weights.up_bias},
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

std::vector<TensorId> LaunchList::attention_tensors(const LayerTensors& of) const {
  return {own_.attended, own_.qkv,  of.keys,   of.values,  plan_.cos,
          plan_.sin,     of.q_norm, of.k_norm, plan_.stage};
}

llm::HeadNormArgs LaunchList::head_norms(const LayerTensors& of) const {
  return {.q = ptr(of.q_norm), .k = ptr(of.k_norm), .eps = model().norm_eps, .given = model().qk_norm};
}

double LaunchList::attention_scale() const {
  return model().attention_scale.value_or(1.0 / std::sqrt(static_cast<double>(model().head_dim)));
}

// One row of each sequence; in a mixed step these rows come after those of the chunk.
void LaunchList::attend_one_row_each(const LayerTensors& of, const models::LayerKind& kind) {
  const LlmProblem& problem = plan_.problem;
  const bool ragged = !problem.has(Phase::prefill) && !problem.contexts.empty();
  const bool mixed = phase() == Phase::mixed;
  const llm::DecodeAttentionArgs args{.qkv = activation(rows_, qkv()),
                                      .out = activation(rows_, attended()),
                                      .cache = cache(of),
                                      .heads = model().num_attention_heads,
                                      .norms = head_norms(of),
                                      .rotary = rotary(kind),
                                      .scale = attention_scale(),
                                      .window = kind.window,
                                      .first_row = mixed ? problem.prompt : 0,
                                      .first_sequence = mixed ? 1 : first_sequence_,
                                      .sequences = problem.batch / problem.micro_batches,
                                      .context = problem.decode_context(),
                                      .contexts = ragged ? &problem.contexts : nullptr,
                                      .first_context = first_sequence_};
  add("attention", "decode_attention", attention_tensors(of), args, true);
}

void LaunchList::attend_many_rows(const LayerTensors& of, const models::LayerKind& kind) {
  const llm::PrefillAttentionArgs args{
      .qkv = activation(rows_, qkv()),
      .out = activation(rows_, attended()),
      .cache = cache(of),
      .heads = model().num_attention_heads,
      .norms = head_norms(of),
      .rotary = rotary(kind),
      .scale = attention_scale(),
      .window = kind.window,
      .context = plan_.problem.before,
      .sequence = first_sequence_,
      .sequences = phase() == Phase::mixed ? 1 : plan_.problem.batch / plan_.problem.micro_batches,
      .rows_each = plan_.problem.prompt,
      .stage = {ptr(plan_.stage), plan_.tensor(plan_.stage).shape[1]},
      .stage_slots = plan_.stage_slots};
  add("attention", "prefill_attention", attention_tensors(of), args, true);
}

void LaunchList::attention(const LayerTensors& of, const models::LayerKind& kind) {
  if (phase() != Phase::decode) attend_many_rows(of, kind);
  if (phase() != Phase::prefill) attend_one_row_each(of, kind);
}

void LaunchList::mlp(const LayerTensors& of) {
  const Operand inner{own_.inner, model().intermediate_size};
  product({.operation = "gate/up",
           .name = ProductName::gate_up,
           .weights = of.gate_up,
           .from = all_normal(),
           .to = inner,
           .act = activate_of(model().hidden_act),
           .gated = model().gated()});
  product({.operation = "down",
           .name = ProductName::down,
           .weights = of.down,
           .from = inner,
           .to = sum(),
           .adds_residual = sums_once() || (plan_.share.adds_once() && !plan_.share.divides_rows()),
           .multiplier = model().residual_multiplier});
  add_up(ProductName::down);
}

void LaunchList::post_norm(const LayerTensors& of) {
  norm("post norm", of.post_norm, x(), normal(), own_rows_);
  gather(own_.normal, own_.all_normal);
}

// x becomes x + attention(norm(x)) + mlp(...): the MLP's own norm of x, if it has one, comes before x
// changes.
void LaunchList::layer(std::int64_t layer) {
  part_ = ModelPart::layers;
  layer_ = plan_.share.first_layer + layer;
  const LayerTensors& of = plan_.layers[static_cast<std::size_t>(layer)];
  const bool own_norm = model().mlp_input == models::MlpInput::own_norm;
  norm("input norm", of.input_norm, x(), normal(), own_rows_);
  gather(own_.normal, own_.all_normal);
  product(
      {.operation = "qkv", .name = ProductName::qkv, .weights = of.qkv, .from = all_normal(), .to = qkv()});
  if (own_norm) post_norm(of);
  attention(of, model().layer_kind(layer));
  product({.operation = "output",
           .name = ProductName::output,
           .weights = of.output,
           .from = attended(),
           .to = sum(),
           .adds_residual = plan_.share.adds_once() && !plan_.share.divides_rows(),
           .multiplier = model().residual_multiplier});
  if (!sums_once()) add_up(ProductName::output);
  if (model().mlp_input == models::MlpInput::attention_sum) post_norm(of);
  mlp(of);
  layer_ = -1;
}

void LaunchList::head() {
  part_ = ModelPart::head;
  const models::Step step = plan_.problem.part(part_number_).step(phase());
  const std::int64_t rows = step.logit_rows();
  gather(own_.x, own_.all_x);
  Operand last{own_.last, model().hidden_size};
  if (rows != rows_) {
    llm::TakeRowsArgs args{.grid = plan_.site.grid,
                           .x = activation(rows_, {own_.all_x, model().hidden_size}),
                           .y = activation(rows, last)};
    std::int64_t next = 0;
    std::size_t i = 0;
    for (const models::SequenceRows& sequence : step.sequences)
      args.rows.at(i++) = static_cast<std::int32_t>((next += sequence.rows) - 1);
    add("last rows", "take_rows", {own_.last, own_.all_x}, args);
  }
  if (model().final_norm) norm("final norm", plan_.final_norm, last, last, rows);
  const llm::HeadRowsArgs args{.grid = plan_.site.grid,
                               .x = activation(rows, last),
                               .w = ptr(plan_.head),
                               .vocabulary = model().vocab_size,
                               .bias = ptr(plan_.head_bias),
                               .has_bias = model().head_bias,
                               .multiplier = model().logit_multiplier,
                               .logits = ptr(own_.logits[number()]),
                               .stores_logits = values_,
                               .tokens = of_part(own_.tokens, rows),
                               .largest = of_part(own_.largest, rows),
                               .stores_largest = own_.largest != TensorId::none,
                               .scratch = scratch()};
  add("head", "head_rows",
      {own_.last, plan_.head, plan_.head_bias, own_.logits[number()], own_.tokens, own_.largest}, args);
}

}  // namespace

std::vector<StepLaunch> launches_of(const LlmPlan& plan, const std::vector<host::Tensor>& tensors,
                                    std::size_t phase, bool values) {
  std::vector<StepLaunch> all;
  for (int part = 0; part < plan.problem.micro_batches; ++part) {
    LaunchList list{plan, tensors, phase, part, values};
    plan.share.first_stage() ? list.embedding() : list.receive();
    for (std::int64_t layer = 0; layer < plan.problem.model.num_hidden_layers; ++layer) list.layer(layer);
    plan.share.last_stage() ? list.head() : list.send();
    std::ranges::move(list.take(), std::back_inserter(all));
  }
  return all;
}

}  // namespace kbsim::inference
