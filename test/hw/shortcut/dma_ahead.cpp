// DMA transfers whose steps are reserved ahead behave as with an event for each step.
#include <vector>

#include <doctest/doctest.h>

#include "../dma_programs.hpp"

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
  const bool near = random.below(3) > 0;
  return random_maps(rig, pes, kMapped, random, [&](PeCoord at) {
    return near ? PeCoord{at.sip, at.cube, random.below(at.pe + 1)} : random_pe(random, *rig.spec);
  });
}

// In TCM: of the PE itself or of another, so that its own DMA and those of others read it at one time.
std::vector<ControlTarget> maps_in_tcm(const Rig& /*rig*/, const std::vector<PeCoord>& pes, Random& random) {
  return maps_of(pes, kMapped, [&](PeCoord at) {
    const PeCoord of =
        random.below(2) == 0 ? at : pes[static_cast<std::size_t>(random.below(static_cast<int>(pes.size())))];
    return topology::PhysAddr::pe_tcm(of, random.below(2) * kMapped);
  });
}

using Maps = std::vector<ControlTarget> (*)(const Rig& rig, const std::vector<PeCoord>& pes, Random& random);

template <Maps maps>
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
  config::MachineSpec spec = random_package(seed, random);
  any_memory(random, spec);
  any_requests(random, spec);
  spec.pe.pe_dma.attrs["request_policy"] = std::string{random.any_of({"in_order", "round_robin"})};
  return spec;
}

}  // namespace

TEST_CASE("DMAs ahead: transfers take the times that they take with an event for each step") {
  check_programs(machine_of, 2, run_on<maps>);
}

TEST_CASE("DMAs ahead: so they do in TCMs that others read, too") {
  check_programs(machine_of, 2, run_on<maps_in_tcm>);
}

}  // namespace kbsim::hw::test::dma_ahead_test
