// Strided reads that a DMA reserves ahead are as with an event for each step, whatever arrives between.
#include <vector>

#include <doctest/doctest.h>

#include "../dma_programs.hpp"

namespace kbsim::hw::test::reads_ahead_test {
namespace {

constexpr Bytes kMapped = 120'000_B;
constexpr int kWord = 119'000;  // of atomics

struct Args {
  int seed;
  int others;  // calls out of 10 that aren't products
};

Pending<Tile> multiply_any(TL& tl, Random& random, Ptr here) {
  const std::int64_t m = random.between(1, 40);
  const std::int64_t k = random.any_of({1, 7, 64, 130});
  const std::int64_t n = random.any_of({1, 16, 33, 100});
  const auto any = [&](std::int64_t from, std::int64_t rows, std::int64_t columns) {
    return tl.ref(here.bytes(from + 2 * random.below(15'000)), {rows, columns}, f16);
  };
  const Ref a = any(0, m, k);
  const Ref b = any(0, k, n);
  const Ref out = any(60'000, m, n);
  return tl.composite({.op = Op::gemm, .a = a, .b = b, .out = out});
}

// Products of matrices in memory, and among them all other operations of a DMA.
Task<> multiply(TL& tl, Args args) {
  Random random{static_cast<std::uint64_t>(args.seed) + 100 * static_cast<std::uint64_t>(tl.program_id(0))};
  const Ptr here{.va = kVa, .dtype = f16};
  for (int round = 0; round < 3; ++round) {
    std::vector<Pending<Tile>> coming;
    std::vector<Pending<void>> storing;
    for (int i = random.between(1, 4); i > 0; --i) {
      const std::int64_t n = random.any_of({1, 64, 300, 1000});
      const Ptr at = here.bytes(2 * random.below(15'000));
      const int what = random.below(10) < args.others ? random.below(4) : 4;
      if (what == 0) coming.push_back(tl.load(at, {n}, f16));
      if (what == 1) storing.push_back(tl.store(at, tl.zeros({n}, f16)));
      if (what == 2) storing.push_back(tl.copy(at, here.bytes(2 * random.below(15'000)), {n}));
      if (what == 3) coming.push_back(tl.atomic_add({.va = kVa + kWord, .dtype = DType::i32}, 1));
      if (what == 4) coming.push_back(multiply_any(tl, random, here));
    }
    for (auto& one : coming) co_await one;
    for (auto& one : storing) co_await one;
  }
}

// All in their own slices, or some in others'.
std::vector<ControlTarget> maps(const Rig& rig, const std::vector<PeCoord>& pes, Random& random) {
  const int far = random.any_of({0, 0, 1, 3});
  return random_maps(rig, pes, kMapped, random, [&](PeCoord at) {
    if (random.below(4) >= far) return at;
    return random.below(2) == 0 ? PeCoord{at.sip, at.cube, 0} : random_pe(random, *rig.spec);
  });
}

Task<> run_on(Rig* rig, std::vector<PeCoord> pes, int seed) {
  Random random{static_cast<std::uint64_t>(seed)};
  (void)co_await rig->order(maps(*rig, pes, random));
  const Args args{.seed = seed, .others = random.any_of({0, 2, 5})};
  (void)co_await rig->launch(pes, bind_kernel("multiply", multiply, args));
}

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = random_package(seed, random);
  if (seed % 11 == 0) spec.cube.hbm_ctrl.attrs["num_pcs"] = std::int64_t{4};
  spec.system.packet_bytes = Bytes{random.any_of({64, 100, 256})};
  any_requests(random, spec);
  if (seed % 7 == 0) spec.pe.pe_dma.attrs["request_policy"] = std::string{"round_robin"};
  return spec;
}

}  // namespace

TEST_CASE("Reads ahead: products take the times that they take with an event for each step") {
  check_programs(machine_of, 3, run_on);
}

}  // namespace kbsim::hw::test::reads_ahead_test
