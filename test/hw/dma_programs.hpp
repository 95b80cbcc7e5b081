#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ahead.hpp"
#include "mixed_program.hpp"
#include "random_machine.hpp"

/// Random programs of the DMAs of one package, reserved ahead, against the same with an event for each step.
namespace kbsim::hw::test {

/// A random machine of one package; any_requests() draws the sizes and the limit of its DMAs' requests.
inline config::MachineSpec random_package(std::uint64_t seed, Random& random) {
  config::MachineSpec spec = random_machine(random);
  spec.system.sips.count = 1;
  return seed % 5 == 0 ? simultaneous(std::move(spec)) : spec;
}
inline void any_requests(Random& random, config::MachineSpec& spec) {
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 2, 4, 16})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({64, 256, 500, 4096})};
}

/// Each PE of the package with a chance of one in `of`; one at least.
inline std::vector<PeCoord> some_pes(const config::MachineSpec& spec, Random& random, int of) {
  std::vector<PeCoord> pes;
  for (int i = 0; i < spec.cubes_per_sip() * spec.pes_per_cube(); ++i) {
    if (random.below(of) == 0) pes.push_back({0, i / spec.pes_per_cube(), i % spec.pes_per_cube()});
  }
  if (pes.empty()) pes.push_back({0, 0, 0});
  return pes;
}

/// Maps `bytes` bytes at kVa of each PE, to the memory that `memory(at)` names.
template <class Memory>
std::vector<ControlTarget> maps_of(const std::vector<PeCoord>& pes, Bytes bytes, Memory memory) {
  std::vector<ControlTarget> targets;
  for (const PeCoord at : pes) {
    const topology::Mapping mapping{.va = kVa, .pa = memory(at), .bytes = bytes};
    targets.push_back({.pe = at, .action = MapPages{.mappings = {mapping}}, .size = 24_B});
  }
  return targets;
}

/// Maps to the HBM of the PE that `owner(at)` gives, at one of two offsets.
template <class Owner>
std::vector<ControlTarget> random_maps(const Rig& rig, const std::vector<PeCoord>& pes, Bytes bytes,
                                       Random& random, Owner owner) {
  return maps_of(pes, bytes, [&](PeCoord at) {
    const PeCoord of = owner(at);
    return in_hbm(*rig.spec, of, random.below(2) * bytes.count());
  });
}

/// Runs `program(rig, pes, number)` on random machines; about one PE in `of` takes part.
template <class MachineOf, class Program>
void check_programs(MachineOf machine_of, int of, Program program) {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(60); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = machine_of(seed, random);
    const std::vector<PeCoord> pes = some_pes(spec, random, of);
    const int number = random.between(1, 1000);
    check_random(spec, seed, saved, [&](Rig& rig) {
      rig.run(program(&rig, pes, number));
      return std::vector<Time>{};
    });
  }
  CHECK(saved > 100 * (seeds(60) + 1 - first_seed()));
}

}  // namespace kbsim::hw::test
