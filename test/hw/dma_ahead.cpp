// Transfers of DMAs whose steps are told ahead: as with an event for each of them.
#include <vector>

#include <doctest/doctest.h>

#include "ahead.hpp"
#include "mixed_program.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::dma_ahead_test {
namespace {

constexpr DType kByte = DType::u8;
constexpr Bytes kMapped = 40'000_B;
constexpr int kWord = 39'000;  // of atomics

struct Args {
  int seed;
};

// Loads, stores, copies and atomics of many sizes, much of it at one time.
Task<> move_much(TL& tl, Args args) {
  Random random{static_cast<std::uint64_t>(args.seed) + 100 * static_cast<std::uint64_t>(tl.program_id(0))};
  const Ptr here{.va = kVa, .dtype = kByte};
  for (int round = 0; round < 3; ++round) {
    std::vector<Pending<Tile>> loading;
    std::vector<Pending<void>> storing;
    for (int i = random.between(1, 5); i > 0; --i) {
      const std::int64_t n = random.any_of({1, 64, 100, 256, 1000, 3000});
      const Ptr at = here.bytes(random.below(35'000));
      const int what = random.below(6);
      if (what < 3) loading.push_back(tl.load(at, {n}, kByte));
      if (what == 3) storing.push_back(tl.store(at, tl.zeros({n}, kByte)));
      if (what == 4) storing.push_back(tl.copy(at, here.bytes(random.below(35'000)), {n}));
      if (what == 5) loading.push_back(tl.atomic_add({.va = kVa + kWord, .dtype = DType::i32}, 1));
    }
    for (auto& one : loading) co_await one;
    for (auto& one : storing) co_await one;
  }
}

std::vector<ControlTarget> maps(const Rig& rig, const std::vector<PeCoord>& pes, Random& random) {
  std::vector<ControlTarget> targets;
  const bool near = random.below(3) > 0;
  for (const PeCoord at : pes) {
    const PeCoord owner =
        near ? PeCoord{at.sip, at.cube, random.below(at.pe + 1)} : random_pe(random, *rig.spec);
    const std::int64_t offset = random.below(2) * kMapped.count();
    const topology::Mapping mapping{.va = kVa, .pa = in_hbm(*rig.spec, owner, offset), .bytes = kMapped};
    targets.push_back({.pe = at, .action = MapPages{.mappings = {mapping}}, .size = 24_B});
  }
  return targets;
}

Task<> run_on(Rig* rig, std::vector<PeCoord> pes, int seed) {
  Random random{static_cast<std::uint64_t>(seed)};
  (void)co_await rig->order(maps(*rig, pes, random));
  (void)co_await rig->launch(pes, bind_kernel("move much", move_much, Args{seed}));
}

void any_memory(Random& random, config::MachineSpec& spec) {
  ComponentSpec& slice = spec.cube.hbm_ctrl;
  switch (random.below(6)) {
    case 0: slice.attrs["num_pcs"] = std::int64_t{4}; break;
    case 1: slice = {.impl = "builtin.hbm_banks"}; break;
    case 2:
      slice = {.impl = "builtin.hbm_banks"};
      slice.attrs["scheduler"] = std::string{"fr_fcfs"};
      break;
    default: break;
  }
}

config::MachineSpec machine_of(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = random_machine(random);
  spec.system.sips.count = 1;
  if (seed % 5 == 0) spec = simultaneous(std::move(spec));
  any_memory(random, spec);
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 2, 4, 16})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({64, 256, 500, 4096})};
  spec.pe.pe_dma.attrs["request_policy"] = std::string{random.any_of({"in_order", "round_robin"})};
  return spec;
}

std::vector<PeCoord> pes_of(const config::MachineSpec& spec, Random& random) {
  std::vector<PeCoord> pes;
  for (int i = 0; i < spec.cubes_per_sip() * spec.pes_per_cube(); ++i) {
    if (random.below(2) == 0) pes.push_back({0, i / spec.pes_per_cube(), i % spec.pes_per_cube()});
  }
  if (pes.empty()) pes.push_back({0, 0, 0});
  return pes;
}

}  // namespace

TEST_CASE("DMAs ahead: transfers take the times that they take with an event for each step") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = machine_of(seed, random);
    const std::vector<PeCoord> pes = pes_of(spec, random);
    const int program = random.between(1, 1000);
    check_same(spec, seed, saved, [&](Rig& rig) {
      rig.run(run_on(&rig, pes, program));
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 100 * seeds(60));
}

}  // namespace kbsim::hw::test::dma_ahead_test
