#include "decoder_layer.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbsim::evaluate {
namespace {

using host::ColumnParallelLinear;
using host::HostArray;
using host::IndexRange;
using host::PendingTensor;
using host::RowParallelLinear;
using host::Tensor;

// Columns [first, first + n) of a matrix.
HostArray columns_of(const HostArray& whole, std::int64_t first, std::int64_t n) {
  const std::int64_t rows = whole.shape()[0];
  if (!whole.has_numbers()) return HostArray::without_numbers({rows, n}, whole.dtype());
  const auto size = static_cast<std::int64_t>(itemsize(whole.dtype()));
  std::vector<std::byte> bytes;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto from = whole.bytes().begin() + (row * whole.shape()[1] + first) * size;
    bytes.insert(bytes.end(), from, from + n * size);
  }
  return {{rows, n}, whole.dtype(), std::move(bytes)};
}

host::ParallelLinearOptions options_of(const DecoderProblem& problem, const LinearNumbers& of, bool bias) {
  return {.in_features = of.weight.shape()[0],
          .out_features = of.weight.shape()[1],
          .bias = bias,
          .sequence_parallel = problem.sequence_parallel,
          .dtype = problem.model.torch_dtype,
          .placement = kLeader,
          .resident = true,
          .contents = {.weight = of.weight, .bias = bias ? std::optional{of.bias} : std::nullopt}};
}

PendingTensor normalised(const models::ModelConfig& model, const Tensor& x, const Tensor& weight,
                         const Tensor& bias) {
  return model.rms_norm ? rms_norm(x, weight, model.norm_eps) : layer_norm(x, weight, bias, model.norm_eps);
}

PendingTensor activated(models::HiddenAct act, const Tensor& x) {
  switch (act) {
    case models::HiddenAct::relu: return host::relu(x);
    case models::HiddenAct::silu: return host::silu(x);
    case models::HiddenAct::gelu: return host::gelu(x);
    case models::HiddenAct::gelu_tanh: break;
  }
  return host::gelu(x, host::Approximate::tanh);
}

PendingTensor product(const ColumnParallelLinear& layer, const Tensor& x,
                      host::OperatorOptions options = {}) {
  std::optional<host::TensorOperand> bias;
  if (layer.bias()) bias.emplace(*layer.bias());
  return linear(x, layer.weight(), bias, std::move(options));
}

Task<Tensor> whole_rows(host::ParallelState state, bool divided, Tensor x) {
  if (!divided) co_return x;
  const Tensor all = co_await gather_from_sequence_region(state, x);
  co_return all;
}

/// The input of the MLP. A rank's own rows live as long as all rows: results depend on when memory is freed.
struct MlpRows {
  Tensor own;
  Tensor all;
};

Task<MlpRows> mlp_input(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer,
                        Tensor x, Attended attended, StepClock* clock) {
  const models::ModelConfig& model = problem.model;
  if (attended.rows) co_return MlpRows{.own = *attended.rows, .all = *attended.rows};
  const Tensor input = model.mlp_input == models::MlpInput::attention_sum ? attended.sum : x;
  const PendingTensor normal = normalised(model, input, layer->norm2, layer->norm2_bias);
  const Tensor n = co_await normal;
  clock->took(DecoderStep::norms);
  const Tensor all = co_await whole_rows(state, problem.sequence_parallel, n);
  co_return MlpRows{.own = n, .all = all};
}

}  // namespace

Task<Tensor> resident(host::ParallelState state, HostArray contents, std::string name) {
  const host::TensorOptions where{.dp = kLeader, .name = std::move(name), .resident = true};
  const Tensor tensor = co_await state.rank().torch.from_host(contents, where);
  co_return tensor;
}

Task<DecoderLayer> make_layer(host::ParallelState state, DecoderProblem problem,
                              const DecoderNumbers* numbers) {
  const models::ModelConfig& model = problem.model;
  const DecoderNumbers& of = *numbers;
  const bool bias = model.attention_bias;
  const auto options = [&](const LinearNumbers& linear, bool has_bias) {
    return options_of(problem, linear, has_bias);
  };
  const ColumnParallelLinear q = co_await ColumnParallelLinear::make(state, options(of.q, bias));
  const ColumnParallelLinear k = co_await ColumnParallelLinear::make(state, options(of.k, bias));
  const ColumnParallelLinear v = co_await ColumnParallelLinear::make(state, options(of.v, bias));
  const RowParallelLinear o = co_await RowParallelLinear::make(state, options(of.o, model.has_output_bias()));
  const ColumnParallelLinear up = co_await ColumnParallelLinear::make(state, options(of.up, model.mlp_bias));
  const RowParallelLinear down = co_await RowParallelLinear::make(state, options(of.down, model.mlp_bias));
  std::optional<ColumnParallelLinear> gate;
  if (model.gated()) {
    const ColumnParallelLinear made_gate =
        co_await ColumnParallelLinear::make(state, options(of.gate, model.mlp_bias));
    gate = made_gate;
  }
  const Tensor norm1 = co_await resident(state, of.norm1.weight, "norm1");
  const Tensor norm1_bias = co_await resident(state, of.norm1.bias, "norm1_bias");
  const Tensor norm2 = co_await resident(state, of.norm2.weight, "norm2");
  const Tensor norm2_bias = co_await resident(state, of.norm2.bias, "norm2_bias");
  const std::int64_t width = k.weight().shape()[1];
  const std::int64_t first = width * state.get_tensor_model_parallel_rank();
  const Tensor k_cache = co_await resident(state, columns_of(of.k_cache, first, width), "k_cache");
  const Tensor v_cache = co_await resident(state, columns_of(of.v_cache, first, width), "v_cache");
  co_return DecoderLayer{.q = q,
                         .k = k,
                         .v = v,
                         .up = up,
                         .gate = gate,
                         .o = o,
                         .down = down,
                         .norm1 = norm1,
                         .norm1_bias = norm1_bias,
                         .norm2 = norm2,
                         .norm2_bias = norm2_bias,
                         .k_cache = k_cache,
                         .v_cache = v_cache};
}

Task<Attended> attention_block(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer,
                               Tensor x, StepClock* clock) {
  const models::ModelConfig& model = problem.model;
  const PendingTensor normal = normalised(model, x, layer->norm1, layer->norm1_bias);
  const Tensor n = co_await normal;
  clock->took(DecoderStep::norms);
  const Tensor all = co_await whole_rows(state, problem.sequence_parallel, n);
  const IndexRange added{problem.keys() - problem.rows(), problem.keys()};
  const PendingTensor of_q = product(layer->q, all);
  const PendingTensor of_k = product(layer->k, all, {.out = layer->k_cache[added]});
  const PendingTensor of_v = product(layer->v, all, {.out = layer->v_cache[added]});
  const Tensor q = co_await of_q;
  co_await of_k;
  co_await of_v;
  clock->took(DecoderStep::qkv);
  const PendingTensor attended =
      scaled_dot_product_attention(q, layer->k_cache, layer->v_cache,
                                   {.heads = model.num_attention_heads / problem.ranks,
                                    .kv_heads = model.num_key_value_heads / problem.ranks,
                                    .is_causal = true});
  const Tensor heads = co_await attended;
  clock->took(DecoderStep::attention);
  const Tensor o = co_await layer->o.forward(heads);
  clock->took(DecoderStep::output);
  const PendingTensor sum = x + o;
  const Tensor result = co_await sum;
  clock->took(DecoderStep::residuals);
  Attended attended_to{.rows = std::nullopt, .sum = result};
  if (model.mlp_input == models::MlpInput::attention_norm) attended_to.rows = all;
  co_return attended_to;
}

Task<Tensor> mlp_block(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer, Tensor x,
                       Attended attended, StepClock* clock) {
  const models::ModelConfig& model = problem.model;
  const MlpRows rows = co_await mlp_input(state, problem, layer, x, attended, clock);
  const PendingTensor of_up = product(layer->up, rows.all);
  Tensor inner = co_await of_up;
  if (layer->gate) {
    const PendingTensor of_gate = product(*layer->gate, rows.all);
    const Tensor gate = co_await of_gate;
    const PendingTensor gated = activated(model.hidden_act, gate) * inner;
    inner = co_await gated;
  } else {
    const PendingTensor active = activated(model.hidden_act, inner);
    inner = co_await active;
  }
  const Tensor m = co_await layer->down.forward(inner);
  clock->took(DecoderStep::mlp);
  const PendingTensor sum = attended.sum + m;
  const Tensor result = co_await sum;
  clock->took(DecoderStep::residuals);
  co_return result;
}

}  // namespace kbsim::evaluate
