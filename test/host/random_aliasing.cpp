// Random collectives on parts of one tensor per rank: equal, overlapping, adjacent or apart. An input may be
// the rank's own part of the output, or the output that of the input, as NCCL defines it; any other overlap
// is an error of the call. KBSIM_RANDOM_ALIASING=5000 runs that number of programs, KBSIM_RANDOM_SEED the
// program of that seed.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/host/host_program.hpp"

#include "program.hpp"
#include "random_seeds.hpp"

namespace kbsim::host::test::random_aliasing {
namespace {

using Numbers = std::vector<double>;

constexpr int kRanks = 3;

enum class Call { all_gather, reduce_scatter, all_to_all };

/// A range of elements of a rank's tensor.
struct Part {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t end() const { return first + count; }
  [[nodiscard]] bool overlaps(const Part& other) const {
    return count > 0 && other.count > 0 && first < other.end() && other.first < end();
  }
  [[nodiscard]] Part share(int rank, std::int64_t size) const { return {first + rank * size, size}; }
  bool operator==(const Part&) const = default;
};

struct Plan {
  Call call{};
  bool list = false;        // lists of tensors in place of one
  std::int64_t share = 0;   // elements that one rank gives to one other
  std::int64_t length = 0;  // of each rank's tensor
  std::vector<Part> in;     // by rank
  std::vector<Part> out;
  std::vector<Numbers> seen = {};
};

double value(int rank, std::int64_t element) { return static_cast<double>(1000 * rank + element); }

Plan drawn(std::uint64_t seed) {
  Random random{seed, 7};
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
  };
  Plan plan;
  plan.call = static_cast<Call>(below(3));
  plan.list = plan.call != Call::all_to_all && below(2) == 0;
  plan.share = 1 + below(4);
  const std::int64_t whole = kRanks * plan.share;
  const std::int64_t in = plan.call == Call::all_gather ? plan.share : whole;
  const std::int64_t out = plan.call == Call::reduce_scatter ? plan.share : whole;
  plan.length = 2 * (in + out);
  const bool apart = below(3) == 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    Part from{below(plan.length - in + 1), in};
    Part to{below(plan.length - out + 1), out};
    const std::int64_t how = below(4);
    if (apart) from.first = 0, to.first = in + below(plan.length - in - out + 1);
    if (!apart && how == 0 && plan.call == Call::all_gather) from = to.share(rank, plan.share);
    if (!apart && how == 0 && plan.call == Call::reduce_scatter) to = from.share(rank, plan.share);
    if (!apart && how == 1 && from.end() + out <= plan.length) to.first = from.end();
    plan.in.push_back(from);
    plan.out.push_back(to);
  }
  return plan;
}

bool allowed(const Plan& plan, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  const Part& in = plan.in[at];
  const Part& out = plan.out[at];
  if (!in.overlaps(out)) return true;
  if (plan.call == Call::all_gather) return in == out.share(rank, plan.share);
  return plan.call == Call::reduce_scatter && out == in.share(rank, plan.share);
}

// The final contents of each rank's tensor, by the definitions.
std::vector<Numbers> expected(const Plan& plan) {
  std::vector<Numbers> all;
  const auto input = [&](int rank, std::int64_t i) {
    return value(rank, plan.in[static_cast<std::size_t>(rank)].first + i);
  };
  for (int rank = 0; rank < kRanks; ++rank) {
    Numbers tensor;
    for (std::int64_t i = 0; i < plan.length; ++i) tensor.push_back(value(rank, i));
    const Part& out = plan.out[static_cast<std::size_t>(rank)];
    for (std::int64_t i = 0; i < out.count; ++i) {
      const auto peer = static_cast<int>(i / plan.share);
      const std::int64_t within = i % plan.share;
      double& to = tensor[static_cast<std::size_t>(out.first + i)];
      switch (plan.call) {
        case Call::all_gather: to = input(peer, within); break;
        case Call::all_to_all: to = input(peer, rank * plan.share + within); break;
        case Call::reduce_scatter:
          to = 0;
          for (int from = 0; from < kRanks; ++from) to += input(from, rank * plan.share + i);
          break;
      }
    }
    all.push_back(std::move(tensor));
  }
  return all;
}

Tensor of(const Tensor& tensor, const Part& part) { return tensor.slice(0, {part.first, part.end()}); }

std::vector<Tensor> shares(const Tensor& tensor, const Part& whole, std::int64_t size) {
  std::vector<Tensor> all;
  for (int rank = 0; rank < kRanks; ++rank) all.push_back(of(tensor, whole.share(rank, size)));
  return all;
}

Task<> runs_call(Rank& rk, Plan* plan) {
  const HostArray numbers =
      generate({plan->length}, f32, [r = rk.index](std::int64_t i) { return value(r, i); });
  const Tensor tensor = co_await rk.torch.from_host(numbers, {.dp = kOnePe, .name = "whole"});
  const auto at = static_cast<std::size_t>(rk.index);
  const Tensor in = of(tensor, plan->in[at]);
  const Tensor out = of(tensor, plan->out[at]);
  const bool gathers = plan->call == Call::all_gather;
  const bool scatters = plan->call == Call::reduce_scatter;
  if (plan->list && gathers) co_await rk.dist.all_gather(shares(tensor, plan->out[at], plan->share), in);
  if (plan->list && scatters) co_await rk.dist.reduce_scatter(out, shares(tensor, plan->in[at], plan->share));
  if (!plan->list && gathers) co_await rk.dist.all_gather_into_tensor(out, in);
  if (!plan->list && scatters) co_await rk.dist.reduce_scatter_tensor(out, in);
  if (plan->call == Call::all_to_all) co_await rk.dist.all_to_all_single(out, in);
  const HostArray read = co_await tensor.to_host();
  plan->seen[at] = read.to_doubles();
}

Plan* running = nullptr;

Task<> on_all(Rank& main) {
  co_await main.dist.init_process_group({.algorithms = {"ag", "rs", "a2a"}});
  co_await main.mp.spawn(runs_call, running, {.nprocs = kRanks});
}

void run(std::uint64_t seed) {
  CAPTURE(seed);
  Plan plan = drawn(seed);
  plan.seen.assign(kRanks, {});
  running = &plan;
  HostProgram all{machine(kRanks, 1, 1), config::parse_ccl(R"(
defaults: {algorithm: ag}
algorithms:
  ag: {kernel: ring_all_gather, collective: all_gather, topology: ring_1d}
  rs: {kernel: ring_reduce_scatter, collective: reduce_scatter, topology: ring_1d}
  a2a: {kernel: ring_all_to_all, collective: all_to_all, topology: ring_1d}
)",
                                                           "ccl.yaml")};
  std::string error;
  try {
    all.run(on_all);
  } catch (const Error& refused) {
    CHECK(refused.exit_code() == ExitCode::usage);
    error = refused.what();
  }
  const bool right = allowed(plan, 0) && allowed(plan, 1) && allowed(plan, 2);
  if (right) {
    CHECK(error == "");
    CHECK(plan.seen == expected(plan));
  } else {
    CHECK_MESSAGE(error.find("overlap") != std::string::npos, error);
  }
}

}  // namespace

TEST_CASE("Random aliasing: in-place forms and separate parts give what is defined, any overlap is refused") {
  run_seeds("KBSIM_RANDOM_ALIASING", 600, run);
}

}  // namespace kbsim::host::test::random_aliasing
