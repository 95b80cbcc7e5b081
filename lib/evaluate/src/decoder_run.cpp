#include "kbsim/evaluate/decoder_run.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/host/tensor_parallel.hpp"
#include "kbsim/hw/division.hpp"

#include "decoder_layer.hpp"
#include "decoder_numbers.hpp"

namespace kbsim::evaluate {
namespace {

using host::HostArray;
using host::Tensor;

// Error of numbers around 1 after a dozen roundings to the dtype.
replay::Tolerance after_rounding(DType dtype) {
  if (dtype == f32) return {.abs = 1e-4, .rel = 1e-4};
  return dtype == f16 ? replay::Tolerance{.abs = 2e-2, .rel = 1e-2}
                      : replay::Tolerance{.abs = 0.15, .rel = 0.05};
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

Bytes used(hw::Machine& machine, NodeId unit) {
  Bytes sum;
  for (const hw::UnitUse& use : machine.component(unit).use()) sum += use.bytes;
  return sum;
}

// Bytes that package 0 has sent to others.
Bytes sent(hw::Machine& machine) {
  Bytes sum;
  const auto& nodes = machine.graph().nodes();
  const auto links = static_cast<std::uint32_t>(machine.graph().links().size());
  for (std::uint32_t i = 0; i < links; ++i) {
    const topology::Link& link = machine.graph().links()[i];
    if (nodes[link.from.value()].at.sip != 0 || nodes[link.to.value()].at.sip <= 0) continue;
    sum += use_of(machine.fabric().served(LinkId{i})).bytes;
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

// Work of package 0 as rank 0 observes it: filled in before the rank observes any later event.
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
  const DecoderLayer layer = co_await make_layer(state, problem, with.numbers);
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
    with.run->stated = {.of = fmt::format("a decoder layer on {}, of rank 0", counted(problem.ranks, "rank")),
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

int most_ranks(const models::ModelConfig& model, int limit) {
  const auto divides = [&](int ranks) {
    return model.num_attention_heads % ranks == 0 && model.num_key_value_heads % ranks == 0 &&
           model.intermediate_size % ranks == 0;
  };
  int ranks = 1;
  while (2 * ranks <= limit && divides(2 * ranks)) ranks *= 2;
  return ranks;
}

void require_possible(const config::MachineSpec& machine, const DecoderProblem& problem) {
  const models::ModelConfig& model = problem.model;
  require_heads(model.num_attention_heads, problem.ranks, "num_attention_heads");
  require_heads(model.num_key_value_heads, problem.ranks, "num_key_value_heads");
  require_heads(model.intermediate_size, problem.ranks, "intermediate_size");
  if (problem.sequence_parallel) require_heads(problem.rows(), problem.ranks, "tokens");
  if (model.window && problem.keys() > model.window->keys)
    throw Unsupported{
        fmt::format("--model: {} is {}, and {} {} tokens sees more keys; attention is simulated over all "
                    "keys: --tokens {}",
                    model.window->key, model.window->keys, problem.decode ? "a row behind" : "a prompt of",
                    problem.tokens, model.window->keys - (problem.decode ? 1 : 0))};
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
