// What a hop of a packet costs in a mesh under load: processor time, events and allocations.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include <benchmark/benchmark.h>

#include "kbsim/hw/traffic/traffic.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace kbsim;

/// What a run of `packets` packets costs.
struct Cost {
  hw::TrafficResult result;
  std::uint64_t allocations = 0;
};

Cost run(const topology::TrafficCase& mesh, std::int64_t packets) {
  const std::uint64_t before = allocations;
  const hw::TrafficRequest request{.rate = 0.5 * mesh.bound, .packets = packets, .warmup = 0};
  Cost cost{.result = hw::run_traffic(mesh, request)};
  cost.allocations = allocations - before;
  return cost;
}

/// A pattern at half of its bound. The run of half the length is what it takes to get going, routes and
/// pools included; what the longer one allocates beyond it is for samples and for routes not yet seen.
void mesh_hop(benchmark::State& state, const char* pattern) {
  constexpr std::int64_t kPackets = 100'000;
  const std::string scope = "mesh:" + std::to_string(state.range(0)) + "x" + std::to_string(state.range(1));
  const topology::TrafficCase mesh = topology::traffic_case(config::MachineSpec{}, scope, pattern);
  const Cost half = run(mesh, kPackets / 2);
  Cost whole;
  for (auto _ : state) whole = run(mesh, kPackets);
  const auto hops = static_cast<double>(whole.result.hops);
  state.counters["time/hop"] = benchmark::Counter(hops * static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["events/hop"] = static_cast<double>(whole.result.events) / hops;
  state.counters["allocations/hop"] = static_cast<double>(whole.allocations - half.allocations) /
                                      static_cast<double>(whole.result.hops - half.result.hops);
}
BENCHMARK_CAPTURE(mesh_hop, uniform, "uniform")->Args({8, 8})->Args({20, 32})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mesh_hop, permutation, "permutation:1")
    ->Args({8, 8})
    ->Args({20, 32})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
