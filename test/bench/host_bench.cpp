// Costs of a rank: the benchmark spawns ranks that each create, fill, reduce and read a tensor.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "kbsim/host/host_program.hpp"

namespace {

using namespace kbsim;
using namespace kbsim::host;

config::MachineSpec packages(int count) {
  config::MachineSpec machine;
  machine.system.sips.count = count;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

config::CclSpec one_tree() {
  config::AlgorithmSpec tree;
  tree.name = tree.kernel = "tree_allreduce";
  tree.topology = "tree_binary";
  config::CclSpec spec;
  spec.defaults.algorithm = tree.name;
  spec.algorithms[tree.name] = tree;
  return spec;
}

std::size_t heap() { return mallinfo2().uordblks; }

Task<> reduce_one(Rank& rk, std::size_t* most) {
  const TensorOptions on_one_pe{.dp = {.num_cubes = 1, .num_pes = 1}, .name = "x"};
  const Tensor x = co_await rk.torch.full({rk.dist.get_world_size()}, 1.0, f32, on_one_pe);
  co_await rk.dist.all_reduce(x);
  *most = std::max(*most, heap());
  const HostArray sum = co_await x.to_host();
  if (sum.to_doubles().front() != rk.dist.get_world_size()) std::abort();
}

Task<> all_ranks(Rank& main, std::size_t* most) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduce_one, most, {.nprocs = main.dist.get_world_size()});
}

/// The machine is built before; neither its heap nor the time to build it is counted.
void ranks(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  std::size_t bytes = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    HostProgram program{packages(count), one_tree()};
    const std::size_t before = heap();
    std::size_t most = before;
    state.ResumeTiming();
    program.run(all_ranks, &most);
    state.PauseTiming();
    bytes = most - before;
    events = program.session().sim().events();
    state.ResumeTiming();
  }
  state.counters["bytes/rank"] = static_cast<double>(bytes) / count;
  state.counters["events/rank"] = static_cast<double>(events) / count;
}
BENCHMARK(ranks)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
