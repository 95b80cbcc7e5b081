#include "kbsim/evaluate/decoder_run.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/host/tensor_parallel.hpp"
#include "kbsim/hw/division.hpp"

#include "decoder_numbers.hpp"

namespace kbsim::evaluate {
namespace {

using host::ColumnParallelLinear;
using host::HostArray;
using host::IndexRange;
using host::PendingTensor;
using host::RowParallelLinear;
using host::Tensor;

constexpr topology::DPPolicy kLeader{.num_cubes = 1, .num_pes = 1};

// What rounding to the dtype a dozen times makes of numbers around 1.
replay::Tolerance after_rounding(DType dtype) {
  if (dtype == f32) return {.abs = 1e-4, .rel = 1e-4};
  return dtype == f16 ? replay::Tolerance{.abs = 2e-2, .rel = 1e-2}
                      : replay::Tolerance{.abs = 0.15, .rel = 0.05};
}

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

HostArray rows_of(const HostArray& whole, std::int64_t first, std::int64_t n) {
  const Shape shape{n, whole.shape()[1]};
  if (!whole.has_numbers()) return HostArray::without_numbers(shape, whole.dtype());
  const auto row = whole.shape()[1] * itemsize(whole.dtype());
  const auto from = whole.bytes().begin() + first * row;
  return {shape, whole.dtype(), std::vector<std::byte>(from, from + n * row)};
}

struct DecoderRank {
  DecoderProblem problem;
  const DecoderNumbers* numbers;
  const std::vector<double>* expected;
  DecoderRun* run;
};

/// The layer of one rank.
struct DecoderLayer {
  ColumnParallelLinear q, k, v, up;
  std::optional<ColumnParallelLinear> gate;
  RowParallelLinear o, down;
  Tensor norm1, norm1_bias, norm2, norm2_bias;
  Tensor k_cache, v_cache;
};

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

Task<Tensor> resident(host::ParallelState state, HostArray contents, std::string name) {
  const host::TensorOptions where{.dp = kLeader, .name = std::move(name), .resident = true};
  const Tensor tensor = co_await state.rank().torch.from_host(contents, where);
  co_return tensor;
}

Task<DecoderLayer> made(host::ParallelState state, DecoderRank with) {
  const DecoderProblem& problem = with.problem;
  const ModelConfig& model = problem.model;
  const DecoderNumbers& of = *with.numbers;
  const bool bias = model.attention_bias;
  const auto options = [&](const LinearNumbers& numbers, bool has_bias) {
    return options_of(problem, numbers, has_bias);
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

PendingTensor normalised(const ModelConfig& model, const Tensor& x, const Tensor& weight,
                         const Tensor& bias) {
  return model.rms_norm ? rms_norm(x, weight, model.norm_eps) : layer_norm(x, weight, bias, model.norm_eps);
}

PendingTensor activated(HiddenAct act, const Tensor& x) {
  switch (act) {
    case HiddenAct::relu: return host::relu(x);
    case HiddenAct::silu: return host::silu(x);
    case HiddenAct::gelu: return host::gelu(x);
    case HiddenAct::gelu_tanh: break;
  }
  return host::gelu(x, host::Approximate::tanh);
}

PendingTensor product(const ColumnParallelLinear& layer, const Tensor& x,
                      host::OperatorOptions options = {}) {
  std::optional<host::TensorOperand> bias;
  if (layer.bias()) bias.emplace(*layer.bias());
  return linear(x, layer.weight(), bias, std::move(options));
}

/// Which step the time of rank 0 goes to.
class StepClock {
 public:
  StepClock(host::Rank& rk, DecoderRun& run) : rk_{rk}, run_{run}, last_{rk.session().sim().now()} {}

  /// What has passed since the last call; collectives in it go to theirs.
  void took(DecoderStep step) {
    const Time now = rk_.session().sim().now();
    if (rk_.index == 0) {
      const Time in_collectives = collectives();
      of(step) += now - last_ - in_collectives;
      of(DecoderStep::collectives) += in_collectives;
      run_.time += now - last_;
    }
    last_ = now;
  }

 private:
  Time& of(DecoderStep step) { return run_.steps[static_cast<std::size_t>(step)]; }
  Time collectives() {
    const auto& all = rk_.session().collectives();
    Time sum{};
    for (; seen_ < all.size(); ++seen_) {
      if (all[seen_].rank == 0) sum += all[seen_].latency();
    }
    return sum;
  }

  host::Rank& rk_;
  DecoderRun& run_;
  Time last_;
  std::size_t seen_ = 0;
};

Task<Tensor> whole_rows(host::ParallelState state, bool divided, Tensor x) {
  if (!divided) co_return x;
  const Tensor all = co_await gather_from_sequence_region(state, x);
  co_return all;
}

/// What attention leaves to the MLP.
struct Attended {
  std::optional<Tensor> rows;  // of the layer's input, normalised, all of them: if the MLP takes them
  Tensor sum;                  // of the layer's input and attention
};

Task<Attended> attention_block(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer,
                               Tensor x, StepClock* clock) {
  const ModelConfig& model = problem.model;
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
  if (model.mlp_input == MlpInput::attention_norm) attended_to.rows = all;
  co_return attended_to;
}

/// What the MLP takes. A rank's own rows stay as long as all of them: results hang on when memory is freed.
struct MlpRows {
  Tensor own;
  Tensor all;
};

Task<MlpRows> mlp_input(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer,
                        Tensor x, Attended attended, StepClock* clock) {
  const ModelConfig& model = problem.model;
  if (attended.rows) co_return MlpRows{.own = *attended.rows, .all = *attended.rows};
  const Tensor input = model.mlp_input == MlpInput::attention_sum ? attended.sum : x;
  const PendingTensor normal = normalised(model, input, layer->norm2, layer->norm2_bias);
  const Tensor n = co_await normal;
  clock->took(DecoderStep::norms);
  const Tensor all = co_await whole_rows(state, problem.sequence_parallel, n);
  co_return MlpRows{.own = n, .all = all};
}

Task<Tensor> mlp_block(host::ParallelState state, DecoderProblem problem, const DecoderLayer* layer, Tensor x,
                       Attended attended, StepClock* clock) {
  const ModelConfig& model = problem.model;
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

Bytes used(hw::Machine& machine, NodeId unit) {
  Bytes sum;
  for (const hw::UnitUse& use : machine.component(unit).use()) sum += use.bytes;
  return sum;
}

// What package 0 has sent to others. Whether a link is free is asked so that all it has served is counted.
Bytes sent(hw::Machine& machine) {
  Bytes sum;
  const auto& nodes = machine.graph().nodes();
  const auto links = static_cast<std::uint32_t>(machine.graph().links().size());
  for (std::uint32_t i = 0; i < links; ++i) {
    hw::LiveLink& link = machine.fabric().live(LinkId{i});
    if (nodes[link.from.value()].at.sip != 0 || nodes[link.to.value()].at.sip <= 0) continue;
    const hw::Fabric& owner = machine.fabric().owner(link.from);
    owner.settle();
    (void)owner.is_free(link);
    sum += use_of(link.lane).bytes;
  }
  return sum;
}

double flop_so_far(host::Session& session) {
  double sum = 0.0;
  if (!session.has_values()) return sum;
  for (const oplog::Op& op : session.log().ops(session.machine().lane({0, 0, 0}))) {
    if (op.kind != oplog::OpKind::dot) continue;
    const Shape& a = op.inputs[0].shape;
    sum += 2.0 * static_cast<double>(op.shape.elements()) * static_cast<double>(a[a.rank() - 1]);
  }
  return sum;
}

DecoderWork work_so_far(host::Session& session) {
  hw::Machine& machine = session.machine();
  const NodeId hbm = machine.graph().cube(0, 0).hbm.front();
  return {.flop = flop_so_far(session),
          .hbm_bytes = static_cast<double>(used(machine, hbm).count()),
          .link_bytes = static_cast<double>(sent(machine).count())};
}

// Of package 0, as rank 0 sees it: there once the rank has heard of something later.
std::shared_ptr<const DecoderWork> seen_now(host::Rank& rk) {
  auto work = std::make_shared<DecoderWork>();
  host::Session& session = rk.session();
  if (rk.index == 0) hw::look(session.machine(), 0, [work, &session] { *work = work_so_far(session); });
  return work;
}

void compare_with(DecoderRun& run, const HostArray& got, const std::vector<double>& expected) {
  const replay::Comparison one =
      replay::compare(got.bytes(), expected, got.dtype(), after_rounding(got.dtype()));
  run.numbers.ok = run.numbers.ok && one.ok;
  run.numbers.max_abs = std::max(run.numbers.max_abs, one.max_abs);
  run.numbers.max_rel = std::max(run.numbers.max_rel, one.max_rel);
  run.numbers.wrong += one.wrong;
}

Task<> decoder_rank(host::Rank& rk, DecoderRank with) {
  const DecoderProblem& problem = with.problem;
  host::ParallelState state{rk};
  co_await state.initialize_model_parallel(problem.ranks);
  const DecoderLayer layer = co_await made(state, with);
  const std::int64_t rows = problem.sequence_parallel ? problem.rows() / problem.ranks : problem.rows();
  const std::int64_t first = problem.sequence_parallel ? rows * rk.index : 0;
  const Tensor x = co_await resident(state, rows_of(with.numbers->x, first, rows), "x");
  const auto before = seen_now(rk);
  const Time begin = rk.session().sim().now();
  StepClock clock{rk, *with.run};
  const Attended h = co_await attention_block(state, problem, &layer, x, &clock);
  const Tensor y = co_await mlp_block(state, problem, &layer, x, h, &clock);
  const auto after = seen_now(rk);
  if (rk.index == 0)
    with.run->stated = {.of = fmt::format("a decoder layer on {} ranks, of rank 0", problem.ranks),
                        .begin = begin,
                        .end = now_in(rk.session())};
  const HostArray got = co_await y.to_host();
  if (rk.index == 0)
    with.run->simulated = {.flop = after->flop - before->flop,
                           .hbm_bytes = after->hbm_bytes - before->hbm_bytes,
                           .link_bytes = after->link_bytes - before->link_bytes};
  if (!got.has_numbers()) co_return;
  const auto from = with.expected->begin() + first * problem.model.hidden_size;
  compare_with(*with.run, got, std::vector<double>(from, from + rows * problem.model.hidden_size));
}

void require_heads(std::int64_t size, int ranks, std::string_view what) {
  if (size % ranks != 0)
    throw UsageError{
        fmt::format("tp_transformer_block: {} ({}) must be divisible by the ranks ({})", what, size, ranks)};
}

}  // namespace

config::MachineSpec machine_of(const DecoderProblem& problem, config::MachineSpec machine) {
  machine.system.sips = {.count = problem.ranks, .link = machine.system.sips.link};
  return machine;
}

int most_ranks(const ModelConfig& model, int limit) {
  const auto divides = [&](int ranks) {
    return model.num_attention_heads % ranks == 0 && model.num_key_value_heads % ranks == 0 &&
           model.intermediate_size % ranks == 0;
  };
  int ranks = 1;
  while (2 * ranks <= limit && divides(2 * ranks)) ranks *= 2;
  return ranks;
}

void require_possible(const config::MachineSpec& machine, const DecoderProblem& problem) {
  const ModelConfig& model = problem.model;
  require_heads(model.num_attention_heads, problem.ranks, "num_attention_heads");
  require_heads(model.num_key_value_heads, problem.ranks, "num_key_value_heads");
  require_heads(model.intermediate_size, problem.ranks, "intermediate_size");
  if (problem.sequence_parallel) require_heads(problem.rows(), problem.ranks, "tokens");
  const DecoderWork work = closed_form(problem);
  const std::int64_t row = std::max(model.hidden_size, model.intermediate_size);
  Rehearsal rehearsal{machine};
  const auto weights = static_cast<std::int64_t>(work.hbm_bytes) / itemsize(model.torch_dtype);
  rehearsal.place(0, {weights}, model.torch_dtype, kLeader);
  for (int i = 0; i < 8; ++i) rehearsal.place(0, {problem.rows(), row}, model.torch_dtype, kLeader);
}

Task<> run_decoder(host::Rank& main, DecoderProblem problem, std::vector<std::string> algorithms,
                   DecoderRun* run) {
  const bool values = main.session().has_values();
  const DecoderNumbers numbers = decoder_numbers(problem, values);
  const std::vector<double> expected = values ? undivided(problem, numbers) : std::vector<double>{};
  const host::ProcessGroupOptions options{.algorithms = algorithms};
  co_await main.dist.init_process_group(options);
  const DecoderRank with{.problem = problem, .numbers = &numbers, .expected = &expected, .run = run};
  co_await main.mp.spawn(decoder_rank, with, {.nprocs = problem.ranks});
}

}  // namespace kbsim::evaluate
