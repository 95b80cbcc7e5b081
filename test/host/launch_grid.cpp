// The grid of a launch: programs are counted as they take part, and places are the machine's.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct PlaceArgs {
  Ptr numbers;  // nine numbers per program, program after program
  Ptr k;
  std::int64_t n = 0;
};

// Ids, counts, and the place on the machine.
Task<> tells_grid(TL& tl, PlaceArgs args) {
  const PeCoord at = tl.place();
  const std::vector<int> all{tl.program_id(0),
                             tl.program_id(1),
                             tl.program_id(2),
                             tl.num_programs(0),
                             tl.num_programs(1),
                             tl.num_programs(2),
                             at.pe,
                             at.cube,
                             at.sip};
  const std::int64_t flat = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  for (std::size_t i = 0; i < all.size(); ++i)
    co_await tl.store(args.numbers + flat * 9 + static_cast<std::int64_t>(i), tl.full({1}, all[i], f32));
}
KBSIM_KERNEL(tells_grid, "where a program is");

// A split-K that multiplies the counts: each program adds 1 to its share of the n elements.
Task<> split_k(TL& tl, PlaceArgs args) {
  const std::int64_t programs = std::int64_t{tl.num_programs(0)} * tl.num_programs(1);
  const std::int64_t own = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  for (std::int64_t i = own; i < args.n; i += programs) co_await tl.store(args.k + i, tl.full({1}, 1, f32));
}
KBSIM_KERNEL(split_k, "all elements by all programs");

struct GridCase {
  topology::DPPolicy dp;
  std::int64_t shards = 1;
  std::vector<double> numbers = {};
  std::vector<double> k = {};
};

Task<> launches_grid(Rank& main, GridCase* c) {
  constexpr std::int64_t kElements = 23;
  const Tensor x = co_await main.torch.zeros({c->shards, 2}, f32, {.dp = c->dp, .name = "x"});
  const Tensor numbers =
      co_await main.torch.zeros({c->shards, 9}, f32, {.dp = kOnePe, .name = "numbers", .shared = true});
  const Tensor k = co_await main.torch.zeros({kElements}, f32, {.dp = kOnePe, .name = "k", .shared = true});
  const PlaceArgs args{.numbers = numbers.ptr(), .k = k.ptr(), .n = kElements};
  co_await main.launch("tells_grid", std::vector{x, numbers}, args);
  co_await main.launch("split_k", std::vector{x, k}, args);
  const HostArray numbers_there = co_await numbers.to_host();
  const HostArray k_there = co_await k.to_host();
  c->numbers = numbers_there.to_doubles();
  c->k = k_there.to_doubles();
}

config::MachineSpec four_cubes() {
  config::MachineSpec spec = machine(1, 2, 2);
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 2};
  return spec;
}

topology::DPPolicy rows_on(int cubes, int pes) {
  return {
      .cube = topology::Split::row_wise, .pe = topology::Split::row_wise, .num_cubes = cubes, .num_pes = pes};
}

}  // namespace

TEST_CASE("Launch grid: all axes count what takes part, so a split-K leaves nothing out") {
  for (const auto& [cubes, pes] : {std::pair{1, 1}, {1, 3}, {2, 3}, {3, 1}, {4, 4}}) {
    CAPTURE(cubes);
    CAPTURE(pes);
    GridCase c{.dp = rows_on(cubes, pes), .shards = cubes * pes};
    Program{four_cubes()}.run(launches_grid, &c);
    CHECK(std::ranges::all_of(c.k, [](double x) { return x == 1; }));
    std::vector<double> expected;
    for (int cube = 0; cube < cubes; ++cube) {
      for (int pe = 0; pe < pes; ++pe)
        for (const int number : {pe, cube, 0, pes, cubes, 1, pe, cube, 0}) expected.push_back(number);
    }
    CHECK(c.numbers == expected);
  }
}

namespace {

// A slice whose rows are on PE 0 of cubes 2 and 3.
Task<> launches_slice(Rank& main, GridCase* c) {
  const Tensor all = co_await main.torch.zeros({4, 8}, f32, {.dp = kRows, .name = "x"});
  const Tensor x = all[IndexRange{2, 4}];
  const Tensor numbers =
      co_await main.torch.zeros({2, 9}, f32, {.dp = kOnePe, .name = "numbers", .shared = true});
  co_await main.launch("tells_grid", std::vector{x, numbers}, PlaceArgs{.numbers = numbers.ptr()});
  const HostArray there = co_await numbers.to_host();
  c->numbers = there.to_doubles();
}

// Three rows over two cubes of two PEs: two rows on the first, one on the second.
Task<> launches_ragged(Rank& main, std::string kernel) {
  const Tensor x = co_await main.torch.zeros({3, 8}, f32, {.dp = rows_on(2, 2), .name = "x"});
  const Tensor k = co_await main.torch.zeros({8}, f32, {.dp = kOnePe, .name = "k", .shared = true});
  co_await main.launch(kernel, std::vector{x, k}, PlaceArgs{.numbers = k.ptr(), .k = k.ptr(), .n = 8});
}

Task<> tells_packages(TL& tl, CollectiveArgs args) {
  co_await tl.store(args.data, tl.full({1}, tl.program_id(2), f32));
  co_await tl.store(args.data + 1, tl.full({1}, tl.num_programs(2), f32));
  co_await tl.store(args.data + 2, tl.full({1}, tl.place().sip, f32));
  co_await tl.store(args.data + 3, tl.full({1}, tl.machine().packages, f32));
}
KBSIM_KERNEL(tells_packages, "axis 2 of a collective");

Task<> in_group_of_two(Rank& rk, int) {
  const Group pair = co_await rk.dist.new_group({1, 2});
  if (rk.dist.get_rank(pair) < 0) co_return;
  const Tensor x = co_await rk.torch.zeros({4}, f32, {.dp = kOnePe, .name = "x"});
  co_await rk.dist.all_reduce(x, {.group = pair});
  const HostArray there = co_await x.to_host();
  CHECK(there.to_doubles() == std::vector<double>{rk.index - 1.0, 2, 1.0 * rk.index, 3});
}

Task<> group_main(Rank& main, int) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(in_group_of_two, 0, {.nprocs = 3});
}

}  // namespace

TEST_CASE("Launch grid: programs on other cubes than the first are counted from 0, and know their place") {
  GridCase c;
  Program{}.run(launches_slice, &c);
  CHECK(c.numbers == std::vector<double>{0, 0, 0, 1, 2, 1, 0, 2, 0, /**/ 0, 1, 0, 1, 2, 1, 0, 3, 0});
}

TEST_CASE("Launch grid: where cubes have different numbers of programs, multiplied counts are a fault") {
  for (const char* kernel : {"split_k", "tells_grid"}) {
    Program program{machine(1, 2, 1)};
    const std::string text = program.error(launches_ragged, std::string{kernel}, ExitCode::deadlock);
    CAPTURE(text);
    CHECK(text.find("cubes of this launch run different numbers of programs") != std::string::npos);
    CHECK(text.find("launch_grid.cpp:") != std::string::npos);
  }
}

TEST_CASE("Launch grid: axis 2 counts the ranks of a collective's group") {
  config::AlgorithmSpec algorithm;
  algorithm.name = algorithm.kernel = "tells_packages";
  algorithm.topology = "ring_1d";
  Program{machine(3, 1, 1), algorithm}.run(group_main, 0);
}
