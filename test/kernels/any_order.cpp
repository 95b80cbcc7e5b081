// Every algorithm on random machines, with simultaneous events in any order: no result may differ.
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "collectives.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}
  [[nodiscard]] int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
  template <class T, std::size_t N>
  [[nodiscard]] T any_of(const T (&choices)[N]) {
    return choices[below(static_cast<int>(N))];
  }

 private:
  std::mt19937_64 engine_;
};

// From a byte a microsecond to more than any link has.
void any_rates(Random& random, config::MachineSpec& spec) {
  constexpr double kRates[] = {0.001, 0.01, 0.5, 1.0, 2.0, 64.0, 77.7, 128.0, 512.0, 100000.0};
  for (Bandwidth* rate :
       {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link, &spec.system.host_link.bandwidth,
        &spec.system.sips.link.bandwidth, &spec.sip.ucie_link.bandwidth, &spec.sip.io.link.bandwidth}) {
    if (random.one_in(4)) *rate = Bandwidth::gbs(random.any_of(kRates));
  }
  if (random.one_in(4)) spec.cube.sram.attrs["bw_gbs"] = random.any_of(kRates);
  if (random.one_in(4)) spec.pe.pe_tcm.attrs["write_bw_gbs"] = random.any_of(kRates);
}

// Without delays nearly everything happens at one time.
void any_delays(Random& random, config::MachineSpec& spec) {
  for (ComponentSpec* part : {&spec.sip.ucie, &spec.sip.io.io_cpu, &spec.sip.io.router, &spec.cube.noc.router,
                              &spec.cube.m_cpu, &spec.cube.xbar, &spec.pe.pe_mmu, &spec.pe.pe_ipcq}) {
    if (random.one_in(3)) part->attrs["overhead_ns"] = 0.0;
  }
  for (ComponentSpec* memory : {&spec.cube.sram, &spec.pe.pe_tcm}) {
    if (random.one_in(3)) memory->attrs["access_ns"] = 0.0;
  }
  if (random.one_in(2)) spec.system.ns_per_mm = 0.0;
  if (random.one_in(3)) spec.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{0};
}

void any_models(Random& random, config::MachineSpec& spec) {
  if (random.one_in(2)) spec.cube.hbm_ctrl.impl = "builtin.hbm_banks";
  if (random.one_in(2)) {
    const std::int64_t packet = spec.system.packet_bytes == 0_B ? 1 << 20 : spec.system.packet_bytes.count();
    spec.cube.noc.router.impl = "builtin.router_vc";
    spec.cube.noc.router.attrs["vcs"] = std::int64_t{random.any_of({4, 5, 8})};
    spec.cube.noc.router.attrs["buffer_bytes"] = packet * random.any_of({1, 2, 16});
  }
}

void any_schedulers(Random& random, config::MachineSpec& spec) {
  for (ComponentSpec* memory : {&spec.cube.hbm_ctrl, &spec.cube.sram})
    memory->attrs["scheduler"] =
        std::string{random.any_of({"in_order", "in_order", "test.first_ready", "test.last_first"})};
}

config::MachineSpec any_machine(Random& random) {
  config::MachineSpec spec =
      machine_of(random.any_of({1, 2, 3, 4, 6, 9}), 1 + random.below(3), 1 + random.below(2));
  spec.system.sips.topology = random.any_of(
      {config::SipTopology::ring_1d, config::SipTopology::torus_2d, config::SipTopology::mesh_2d_no_wrap});
  spec.system.packet_bytes = Bytes{random.any_of({256, 256, 256, 16, 64, 1000, 0})};
  any_rates(random, spec);
  any_models(random, spec);
  any_delays(random, spec);
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 2, 3, 16, 64})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({100, 256, 4096, 65536})};
  return spec;
}

Collective any_collective(Random& random, const std::string& algorithm) {
  const config::MachineSpec machine = any_machine(random);
  Collective c = collective(algorithm, machine, random.any_of({1, 2, 4}), random.any_of({1, 8, 300, 1000}));
  c.algorithm.buffer_kind =
      random.any_of({config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram});
  c.algorithm.slot_size = Bytes{random.any_of({16, 100, 256, 4096})};
  if (random.one_in(4)) {
    c.algorithm.backpressure = config::Backpressure::poll;
    c.algorithm.poll = random.any_of({1_ns, 10_ns});
  }
  any_schedulers(random, c.machine);
  return c;
}

void check_any_order(const Collective& c, std::uint64_t seed) {
  const PerRank in = inputs(c);
  const Outcome usual = outcome(c, in, std::nullopt);
  for (std::uint64_t shuffle = 1; shuffle <= 3; ++shuffle) {
    CAPTURE(c.algorithm.name);
    CAPTURE(seed);
    CAPTURE(shuffle);
    const Outcome shuffled = outcome(c, in, 1000 * seed + shuffle);
    CHECK(shuffled.machine == usual.machine);
    CHECK((shuffled == usual));
  }
}

}  // namespace

TEST_CASE(
    "Any order: of simultaneous events leaves the same values, times, op log and links, on any machine") {
#ifdef NDEBUG
  constexpr std::uint64_t kMachines = 6;  // of each algorithm
#else
  constexpr std::uint64_t kMachines = 1;
#endif
  std::uint64_t seed = 0;
  for (const std::string& name : algorithm_names()) {
    for (std::uint64_t i = 0; i < kMachines; ++i) {
      Random random{++seed};
      check_any_order(any_collective(random, name), seed);
    }
  }
}

// A write is acknowledged when its last byte is served; several pseudo-channels do so at one time.
TEST_CASE("Any order: of acknowledgements that banks give at one time") {
  Collective c = collective("chunked_ring_allreduce", machine_of(2, 2, 2), 4, 2048);
  c.machine.cube.hbm_ctrl.impl = "builtin.hbm_banks";
  c.algorithm.slot_size = 16_B;
  check_any_order(c, 1);
}

// At a memory, a request counts with its tail, which may meet the head of the write right after it.
TEST_CASE("Any order: of a request and the write that follows it at once on its link") {
  Collective c = collective("bidirectional_ring_allreduce", machine_of(9, 1, 1), 4, 2048);
  c.machine.cube.noc.link = Bandwidth::gbs(0.001);
  c.machine.cube.noc.router.impl = "builtin.router_vc";
  c.algorithm.buffer_kind = config::BufferKind::sram;
  c.algorithm.slot_size = 4096_B;
  check_any_order(c, 1);
}
