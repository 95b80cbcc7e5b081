#include "kbsim/evaluate/tp_mlp_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <range/v3/view/cycle.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/host/tensor_parallel.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

constexpr topology::DPPolicy kFirstPe{.num_cubes = 1, .num_pes = 1};
// Each rank rounds its product, the sum is rounded once per rank, and h before that.
constexpr replay::Tolerance kRoundedParts{.abs = 4e-3, .rel = 4e-3};

struct MlpNumbers {
  host::HostArray x, w1, b1, w2, b2;
};

host::HostArray centred(const Shape& shape, double largest, std::uint64_t seed) {
  Random random{seed};
  return host::generate(shape, f16, [&](std::int64_t) { return largest * (2.0 * random.uniform() - 1.0); });
}

MlpNumbers numbers_of(const TpMlpProblem& problem) {
  const double of_w1 = std::sqrt(3.0 / static_cast<double>(problem.hidden));
  const double of_w2 = std::sqrt(3.0 / static_cast<double>(problem.ffn));
  return {.x = centred({problem.tokens, problem.hidden}, 1.0, 1),
          .w1 = centred({problem.hidden, problem.ffn}, of_w1, 2),
          .b1 = centred({problem.ffn}, 0.5, 3),
          .w2 = centred({problem.ffn, problem.hidden}, of_w2, 4),
          .b2 = centred({problem.hidden}, 0.5, 5)};
}

double activated(Activation which, double v) {
  switch (which) {
    case Activation::relu: return std::max(v, 0.0);
    case Activation::silu: return v / (1.0 + std::exp(-v));
    case Activation::gelu: break;
  }
  return 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
}

void add_row(std::vector<double>& matrix, const std::vector<double>& row) {
  for (auto&& [value, of_column] : ranges::views::zip(matrix, ranges::views::cycle(row))) value += of_column;
}

std::vector<double> unsplit(const TpMlpProblem& problem, const MlpNumbers& of) {
  const std::int64_t m = problem.tokens;
  std::vector<double> h =
      replay::matmul(of.x.to_doubles(), of.w1.to_doubles(), {m, problem.hidden, problem.ffn});
  if (problem.bias) add_row(h, of.b1.to_doubles());
  for (double& v : h) v = activated(problem.activation, v);
  std::vector<double> y = replay::matmul(h, of.w2.to_doubles(), {m, problem.ffn, problem.hidden});
  if (problem.bias) add_row(y, of.b2.to_doubles());
  return y;
}

host::PendingTensor activation_of(Activation which, const host::Tensor& x) {
  switch (which) {
    case Activation::relu: return host::relu(x);
    case Activation::silu: return host::silu(x);
    case Activation::gelu: break;
  }
  return host::gelu(x);
}

host::LinearContents contents(const TpMlpProblem& problem, const host::HostArray& w,
                              const host::HostArray& b) {
  return {.weight = w, .bias = problem.bias ? std::optional{b} : std::nullopt};
}

void add(replay::Comparison& all, const replay::Comparison& one) {
  all.ok = all.ok && one.ok;
  all.max_abs = std::max(all.max_abs, one.max_abs);
  all.max_rel = std::max(all.max_rel, one.max_rel);
  all.max_ulp = std::max(all.max_ulp, one.max_ulp);
  all.wrong += one.wrong;
}

struct MlpRank {
  TpMlpProblem problem;
  const MlpNumbers* numbers;
  const std::vector<double>* expected;
  TpMlpRun* run;
};

// Time of the collectives of rank 0 from `first` on.
Time in_collectives(host::Session& session, std::size_t first) {
  Time sum{};
  const auto& all = session.collectives();
  for (std::size_t i = first; i < all.size(); ++i) {
    if (all[i].rank == 0) sum += all[i].latency();
  }
  return sum;
}

Task<> mlp_rank(host::Rank& rk, MlpRank with) {
  const TpMlpProblem& problem = with.problem;
  Simulation& sim = rk.session().sim();
  host::ParallelState state{rk};
  co_await state.initialize_model_parallel(problem.ranks);
  const host::ColumnParallelLinear fc1 = co_await host::ColumnParallelLinear::make(
      state, {.in_features = problem.hidden,
              .out_features = problem.ffn,
              .bias = problem.bias,
              .resident = true,
              .contents = contents(problem, with.numbers->w1, with.numbers->b1)});
  const host::RowParallelLinear fc2 = co_await host::RowParallelLinear::make(
      state, {.in_features = problem.ffn,
              .out_features = problem.hidden,
              .bias = problem.bias,
              .resident = true,
              .contents = contents(problem, with.numbers->w2, with.numbers->b2)});
  const host::Tensor x = co_await rk.torch.from_host(with.numbers->x, {.dp = kFirstPe, .name = "x"});
  const Time begin = sim.now();
  const host::Tensor h = co_await fc1.forward(x);
  const Time after_fc1 = sim.now();
  const host::PendingTensor active = activation_of(problem.activation, h);
  const host::Tensor a = co_await active;
  const Time after_activation = sim.now();
  const std::size_t collectives = rk.session().collectives().size();
  const host::Tensor y = co_await fc2.forward(a);
  const Time end = sim.now();
  if (rk.index == 0) {
    const Time reduced = in_collectives(rk.session(), collectives);
    with.run->steps = {{"fc1 (columns)", after_fc1 - begin},
                       {"activation", after_activation - after_fc1},
                       {"fc2 (rows)", end - after_activation - reduced},
                       {"all-reduce", reduced}};
    with.run->time = end - begin;
    with.run->stated = {.of = fmt::format("an MLP on {}, of rank 0", counted(problem.ranks, "rank")),
                        .begin = begin,
                        .end = now_in(rk.session())};
  }
  const host::HostArray got = co_await y.to_host();
  if (got.has_numbers())
    add(with.run->numbers, replay::compare(got.bytes(), *with.expected, f16, kRoundedParts));
}

void require_even(std::int64_t size, int ranks, std::string_view what) {
  if (size % ranks != 0)
    throw UsageError{fmt::format("tp_mlp: {} ({}) must be divisible by the ranks ({})", what, size, ranks)};
}

}  // namespace

config::MachineSpec machine_of(const TpMlpProblem& problem, config::MachineSpec machine) {
  machine.system.sips = {.count = problem.ranks, .link = machine.system.sips.link};
  return machine;
}

void require_possible(const config::MachineSpec& machine, const TpMlpProblem& problem) {
  require_even(problem.ffn, problem.ranks, "--ffn");
  const std::int64_t part = problem.ffn / problem.ranks;
  Rehearsal rehearsal{machine};
  for (const Shape& shape :
       {Shape{problem.hidden, part}, Shape{part, problem.hidden}, Shape{problem.tokens, problem.hidden},
        Shape{problem.tokens, part}, Shape{problem.tokens, part}, Shape{problem.tokens, problem.hidden}})
    rehearsal.place(0, shape, f16, kFirstPe);
  if (!problem.bias) return;
  rehearsal.place(0, {part}, f16, kFirstPe);
  rehearsal.place(0, {problem.hidden}, f16, kFirstPe);
}

Task<> run_tp_mlp(host::Rank& main, TpMlpProblem problem, std::string all_reduce, TpMlpRun* run) {
  const MlpNumbers numbers = numbers_of(problem);
  const std::vector<double> expected = unsplit(problem, numbers);
  const host::ProcessGroupOptions options{.algorithms = {all_reduce}};
  co_await main.dist.init_process_group(options);
  const MlpRank with{.problem = problem, .numbers = &numbers, .expected = &expected, .run = run};
  co_await main.mp.spawn(mlp_rank, with, {.nprocs = problem.ranks});
}

double flops_of_a_rank(const TpMlpProblem& problem) {
  const auto part = static_cast<double>(problem.ffn / problem.ranks);
  return 2.0 * 2.0 * static_cast<double>(problem.tokens) * static_cast<double>(problem.hidden) * part;
}

}  // namespace kbsim::evaluate
