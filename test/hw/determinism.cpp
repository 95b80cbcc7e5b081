#include <doctest/doctest.h>

#include "mixed_program.hpp"
#include "random_machine.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::determinism_test {
namespace {

std::string digest(const config::MachineSpec& spec, int seed, std::optional<std::uint64_t> shuffle) {
  Rig rig{spec, {.shuffle_ties = shuffle}};
  start_mixed_program(rig, seed);
  rig.sim.run();
  rig.machine->fabric().audit();
  return to_string(rig.machine->digest());
}

void check_all_orders(const config::MachineSpec& spec, int seed) {
  CAPTURE(seed);
  const std::string expected = digest(spec, seed, std::nullopt);
  for (std::uint64_t shuffle = 1; shuffle <= kbsim::test::fewer(20); ++shuffle) {
    CAPTURE(shuffle);
    CHECK(digest(spec, seed, shuffle) == expected);
  }
}

}  // namespace

TEST_CASE("Machine: no order of simultaneous events changes what ranks and kernels do, on any machine") {
  for (int seed = 1; seed <= 6; ++seed) {
    Random random{static_cast<std::uint64_t>(seed)};
    check_all_orders(varied_machine(random), seed);
  }
}

TEST_CASE("Machine: nor on machines without delays, where nearly everything happens at one time") {
  for (int seed = 1; seed <= 6; ++seed) {
    Random random{static_cast<std::uint64_t>(seed)};
    check_all_orders(simultaneous(varied_machine(random)), seed);
  }
}

// Pseudo-channels serve several writes to one end, and credits come back as packets pass.
config::MachineSpec with_banks_and_credits(config::MachineSpec spec, int vcs) {
  spec.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
  for (ComponentSpec* router : {&spec.cube.noc.router, &spec.sip.io.router}) {
    router->impl = "builtin.router_vc";
    router->attrs["vcs"] = std::int64_t{vcs};
    router->attrs["buffer_bytes"] = spec.system.packet_bytes == 0_B ? std::int64_t{4096} : std::int64_t{1000};
  }
  return spec;
}

TEST_CASE("Machine: nor with banks of HBM, virtual channels and small windows, with and without delays") {
  constexpr int kSeeds = 6;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Random random{static_cast<std::uint64_t>(seed)};
    config::MachineSpec spec = varied_machine(random);
    if (random.below(2) == 0) spec = simultaneous(spec);
    spec = with_banks_and_credits(spec, random.between(8, 12));
    spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.between(1, 4)};
    spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({64, 100, 256, 4096})};
    check_all_orders(spec, seed);
  }
}

TEST_CASE("Machine: nor where memories choose the order in which they serve, with and without delays") {
  for (int seed = 1; seed <= 6; ++seed) {
    Random random{static_cast<std::uint64_t>(seed)};
    config::MachineSpec spec = varied_machine(random);
    if (random.below(2) == 0) spec = simultaneous(spec);
    if (random.below(2) == 0) spec.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
    for (ComponentSpec* memory : {&spec.cube.hbm_ctrl, &spec.cube.sram})
      memory->attrs["scheduler"] = std::string{random.any_of({"test.first_ready", "test.last_first"})};
    check_all_orders(spec, seed);
  }
}

TEST_CASE("Machine: nor where a controller orders the commands of HBM, with and without delays") {
  for (int seed = 1; seed <= 4; ++seed) {
    Random random{static_cast<std::uint64_t>(seed)};
    config::MachineSpec spec = varied_machine(random);
    if (random.below(2) == 0) spec = simultaneous(spec);
    spec.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
    spec.cube.hbm_ctrl.attrs["scheduler"] = std::string{"fr_fcfs"};
    if (seed % 2 == 0) spec.cube.hbm_ctrl.attrs["write_drain"] = std::string{"per_bank"};
    check_all_orders(spec, seed);
  }
}

TEST_CASE("Machine: two runs give one digest, another workload another") {
  const config::MachineSpec spec = small_machine();
  CHECK(digest(spec, 1, std::nullopt) == digest(spec, 1, std::nullopt));
  CHECK(digest(spec, 1, std::nullopt) != digest(spec, 2, std::nullopt));
}

}  // namespace kbsim::hw::test::determinism_test
