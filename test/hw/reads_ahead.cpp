// Reads of strided rows that a DMA tells ahead: as with an event for each step, whoever comes in between.
#include <vector>

#include <doctest/doctest.h>

#include "ahead.hpp"
#include "mixed_program.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::reads_ahead_test {
namespace {

constexpr Bytes kMapped = 120'000_B;
constexpr int kWord = 119'000;  // of atomics

struct Args {
  int seed;
  int others;  // of 10 calls so many aren't products
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

// Products of matrices in memory, and among them whatever else a DMA does.
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
  std::vector<ControlTarget> targets;
  const int far = random.any_of({0, 0, 1, 3});
  for (const PeCoord at : pes) {
    PeCoord owner = at;
    if (random.below(4) < far)
      owner = random.below(2) == 0 ? PeCoord{at.sip, at.cube, 0} : random_pe(random, *rig.spec);
    const std::int64_t offset = random.below(2) * kMapped.count();
    const topology::Mapping mapping{.va = kVa, .pa = in_hbm(*rig.spec, owner, offset), .bytes = kMapped};
    targets.push_back({.pe = at, .action = MapPages{.mappings = {mapping}}, .size = 24_B});
  }
  return targets;
}

Task<> run_on(Rig* rig, std::vector<PeCoord> pes, int seed) {
  Random random{static_cast<std::uint64_t>(seed)};
  (void)co_await rig->order(maps(*rig, pes, random));
  const Args args{.seed = seed, .others = random.any_of({0, 2, 5})};
  (void)co_await rig->launch(pes, bind_kernel("multiply", multiply, args));
}

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = random_machine(random);
  spec.system.sips.count = 1;
  if (seed % 5 == 0) spec = simultaneous(std::move(spec));
  if (seed % 11 == 0) spec.cube.hbm_ctrl.attrs["num_pcs"] = std::int64_t{4};
  spec.system.packet_bytes = Bytes{random.any_of({64, 100, 256})};
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 2, 4, 16})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({64, 256, 500, 4096})};
  if (seed % 7 == 0) spec.pe.pe_dma.attrs["request_policy"] = std::string{"round_robin"};
  return spec;
}

}  // namespace

TEST_CASE("Reads ahead: products take the times that they take with an event for each step") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = machine_of(seed, random);
    std::vector<PeCoord> pes;
    for (int i = 0; i < spec.cubes_per_sip() * spec.pes_per_cube(); ++i) {
      if (random.below(3) == 0) pes.push_back({0, i / spec.pes_per_cube(), i % spec.pes_per_cube()});
    }
    if (pes.empty()) pes.push_back({0, 0, 0});
    const int program = random.between(1, 1000);
    check_same(spec, seed, saved, [&](Rig& rig) {
      rig.run(run_on(&rig, pes, program));
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 100 * seeds(60));
}

}  // namespace kbsim::hw::test::reads_ahead_test
