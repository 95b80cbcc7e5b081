// A world_size that isn't the number of packages: ranks are PEs, and a program speaks for those of its
// package.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/ccl/ranks.hpp"

#include "program.hpp"

namespace kbsim::host::test::ranks_are_pes_test {
namespace {

constexpr std::int64_t kElements = 16;

config::AlgorithmSpec over_pes(const std::string& kernel, const std::string& topology, int world_size) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = kernel;
  spec.topology = topology;
  spec.world_size = world_size;
  if (kernel == "hello_send") spec.collective = config::Collective::sendrecv;
  return spec;
}

// Element i of a rank.
double number(int rank, std::int64_t i) { return static_cast<double>(rank + 1 + i); }

double total(int ranks, std::int64_t i) {
  double sum = 0.0;
  for (int rank = 0; rank < ranks; ++rank) sum += number(rank, i);
  return sum;
}

struct Seen {
  std::vector<int> ranks;  // get_rank() of each program
  int world_size = 0;
  int right = 0;  // rows
};

struct ReduceArgs {
  int cubes;  // of a package
  int pes;    // of a cube
  bool shifts;
  Seen* seen;
};

// This program's rows: one a rank of its package.
Task<> collective_over_pes(Rank& rk, ReduceArgs args) {
  const int rows = args.cubes * args.pes;
  const int first = rk.dist.get_rank();
  const int world = rk.dist.get_world_size();
  const TensorOptions placed{.dp = {.cube = topology::Split::row_wise,
                                    .pe = topology::Split::row_wise,
                                    .num_cubes = args.cubes,
                                    .num_pes = args.pes}};
  const HostArray contents = generate({rows, kElements}, f32, [&](std::int64_t i) {
    return number(first + static_cast<int>(i / kElements), i % kElements);
  });
  Tensor x = co_await rk.torch.from_host(contents, placed);
  if (args.shifts) {
    co_await rk.dist.sendrecv(x);
  } else {
    co_await rk.dist.all_reduce(x);
  }
  const HostArray result = co_await x.to_host();
  const std::vector<double> numbers = result.to_doubles();
  for (int row = 0; row < rows; ++row) {
    bool right = true;
    for (std::int64_t i = 0; i < kElements; ++i) {
      const double expected = args.shifts ? number((first + row + world - 1) % world, i) : total(world, i);
      right = right && numbers[static_cast<std::size_t>(row * kElements + i)] == expected;
    }
    args.seen->right += right ? 1 : 0;
  }
  args.seen->ranks.push_back(first);
  args.seen->world_size = world;
}

Task<> single_driver(Rank& main, ReduceArgs args) {
  co_await main.dist.init_process_group({});
  co_await collective_over_pes(main, args);
  co_await main.dist.barrier();
  co_await main.dist.destroy_process_group();
}

Task<> one_program_a_package(Rank& main, ReduceArgs args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(collective_over_pes, args, {.nprocs = 2});
}

// 2 packages of 2 x 2 cubes of 8 PEs.
config::MachineSpec with_eight_pes() {
  config::MachineSpec spec;
  spec.system.sips.count = 2;
  spec.sip.cube_mesh = {.w = 2, .h = 2};
  return spec;
}

Seen drive(const config::AlgorithmSpec& algorithm, int cubes, int pes) {
  Seen seen;
  const bool shifts = algorithm.collective == config::Collective::sendrecv;
  Program program{with_eight_pes(), algorithm};
  program.run(single_driver, {.cubes = cubes, .pes = pes, .shifts = shifts, .seen = &seen});
  return seen;
}

Task<> initialized(Rank& main, int) { co_await main.dist.init_process_group({}); }

Task<> makes_a_group(Rank& main, int) {
  co_await main.dist.init_process_group({});
  std::vector<int> some{0, 1};
  (void)co_await main.dist.new_group(some);
}

Task<> sends(Rank& main, int) {
  co_await main.dist.init_process_group({});
  const Tensor x = co_await main.torch.zeros({1, 4}, f16, {});
  co_await main.dist.send(x, 1);
}

}  // namespace

TEST_CASE("checklist 12: ranks that are PEs are numbered flat") {
  const config::MachineSpec machine = with_eight_pes();
  CHECK(ccl::flat_pe(machine, 0) == PeCoord{0, 0, 0});
  CHECK(ccl::flat_pe(machine, 7) == PeCoord{0, 0, 7});
  CHECK(ccl::flat_pe(machine, 8) == PeCoord{0, 1, 0});
  CHECK(ccl::flat_pe(machine, 31) == PeCoord{0, 3, 7});
  CHECK(ccl::flat_pe(machine, 32) == PeCoord{1, 0, 0});
}

TEST_CASE("checklist 12: a ring over the PEs of a cube, over cubes, and of a whole package, by one driver") {
  for (const int cubes : {1, 2, 4}) {
    CAPTURE(cubes);
    const Seen seen = drive(over_pes("ring_allreduce", "ring_1d", 8 * cubes), cubes, 8);
    CHECK(seen.right == 8 * cubes);
    CHECK(seen.world_size == 8 * cubes);
    CHECK(seen.ranks == std::vector<int>{0});
  }
}

TEST_CASE("checklist 12: a ring over the PEs of all packages, by a program on each") {
  Seen seen;
  Program program{machine(), over_pes("ring_allreduce", "ring_1d", 16)};
  program.run(one_program_a_package, {.cubes = 4, .pes = 2, .shifts = false, .seen = &seen});
  std::ranges::sort(seen.ranks);
  CHECK(seen.ranks == std::vector<int>{0, 8});
  CHECK(seen.world_size == 16);
  CHECK(seen.right == 16);
}

TEST_CASE("checklist 12: a mesh of 4 PEs, a tree of 7, hello_send around 8") {
  CHECK(drive(over_pes("mesh_allreduce", "mesh_2d", 4), 1, 4).right == 4);
  CHECK(drive(over_pes("tree_allreduce", "tree_binary", 7), 1, 7).right == 7);
  CHECK(drive(over_pes("hello_send", "ring_by_rank", 8), 1, 8).right == 8);
}

TEST_CASE("checklist 12: PEs that aren't there, or parts of several cubes, are refused") {
  const auto error = [](config::AlgorithmSpec algorithm) {
    Program program{with_eight_pes(), std::move(algorithm)};
    return program.error(initialized, 0, ExitCode::usage);
  };
  CHECK(
      error(over_pes("ring_allreduce", "ring_1d", 65))
          .ends_with("world_size 65 of algorithm 'ring_allreduce' on a machine of 2 SIPs: its ranks are PEs, "
                     "and there are 64 PEs"));
  CHECK(error(over_pes("ring_allreduce", "ring_1d", 12))
            .ends_with("its ranks are PEs, of whole cubes, which have 8 each"));
  CHECK(error(over_pes("ring_allreduce", "ring_1d", 40))
            .ends_with("its ranks are PEs, of whole packages, which have 32 each"));
  config::AlgorithmSpec all = over_pes("hierarchical_allreduce", "hierarchical_3level", 8);
  all.mapper = "all_pes";
  CHECK(error(all).ends_with("its ranks are PEs, which mapper all_pes doesn't place: it needs leader_only"));
}

TEST_CASE("checklist 12: there are neither groups of PEs nor messages between their programs") {
  const config::AlgorithmSpec ring = over_pes("ring_allreduce", "ring_1d", 8);
  Program groups{with_eight_pes(), ring};
  CHECK(groups.error(makes_a_group, 0, ExitCode::usage)
            .ends_with("new_group of ranks that are PEs (world_size)"));
  Program messages{with_eight_pes(), ring};
  CHECK(messages.error(sends, 0, ExitCode::usage)
            .ends_with("its ranks are PEs (world_size); send in a kernel"));
}

}  // namespace kbsim::host::test::ranks_are_pes_test
