// Packets whose arrival no component observes behave as with an event for each of them.
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "../dma_programs.hpp"

namespace kbsim::hw::test::unobserved_test {
namespace {

// Work of links, ports and DMAs up to a time.
struct Look {
  std::vector<LinkUse> links;
  Outcome units;
  [[nodiscard]] bool same(const Look& other) const {
    return links == other.links && std::ranges::equal(units.units, other.units.units, same_use) &&
           std::ranges::equal(units.dmas, other.units.dmas, same_dma);
  }
};
using Looks = std::vector<Look>;

Task<> look(Rig* rig, std::vector<Time> times, Looks* seen) {
  for (const Time at : times) {
    co_await rig->sim.until(at);
    Look now;
    note_use(*rig, now.units);
    now.links = use_of_links(rig->machine->fabric());
    seen->push_back(std::move(now));
  }
}

// The first port or DMA whose use differs.
std::string different(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < a.units.size(); ++i) {
    if (same_use(a.units[i], b.units[i])) continue;
    return fmt::format("port {}: {} {} bytes, busy {} {}, waited {} {}, longest {} {}", i,
                       a.units[i].bytes.count(), b.units[i].bytes.count(), to_string(a.units[i].busy),
                       to_string(b.units[i].busy), to_string(a.units[i].waited), to_string(b.units[i].waited),
                       to_string(a.units[i].longest), to_string(b.units[i].longest));
  }
  for (std::size_t i = 0; i < a.dmas.size(); ++i) {
    if (same_dma(a.dmas[i], b.dmas[i])) continue;
    return fmt::format("DMA {}: busy {} {}, read {} {}, written {} {}", i, to_string(a.dmas[i].busy),
                       to_string(b.dmas[i].busy), a.dmas[i].read.count(), b.dmas[i].read.count(),
                       a.dmas[i].written.count(), b.dmas[i].written.count());
  }
  return "none";
}

Looks looks(const config::MachineSpec& spec, bool exact, Shuffle shuffle, int program,
            const std::vector<Time>& times) {
  Rig rig{spec, {.shuffle_ties = shuffle}};
  if (exact) rig.machine->fabric().exact_packets();
  Looks seen;
  start_mixed_program(rig, program);
  (void)rig.sim.spawn("look", look(&rig, times, &seen));
  rig.sim.run();
  rig.machine->fabric().audit();
  return seen;
}

// True if the order of simultaneous events decides what exact runs see at look `i`.
bool order_decides(const config::MachineSpec& spec, int program, const std::vector<Time>& times,
                   const Look& exact, std::size_t i) {
  constexpr std::uint64_t kTries = 8;
  for (std::uint64_t order = 1; order <= kTries; ++order) {
    if (!looks(spec, true, Shuffle{order}, program, times)[i].same(exact)) return true;
  }
  return false;
}

struct Args {
  std::int64_t bytes;
  bool stores;
};

Task<> move(TL& tl, Args args) {
  const Ptr here{.va = kVa, .dtype = DType::u8};
  if (args.stores) {
    const Tile zeros = tl.zeros({args.bytes}, DType::u8);
    co_await tl.store(here, zeros);
  } else {
    (void)co_await tl.load(here, {args.bytes}, DType::u8);
  }
}

Task<> run_on(Rig* rig, Args args) {
  const PeCoord pe{0, 0, 0};
  const topology::Mapping mapping{.va = kVa, .pa = in_hbm(*rig->spec, pe, 0), .bytes = 4096_B};
  (void)co_await rig->order({{.pe = pe, .action = MapPages{.mappings = {mapping}}, .size = 24_B}});
  (void)co_await rig->launch({pe}, bind_kernel("move", move, args));
}

std::uint64_t events(Args args) {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 256_B;
  Rig rig{spec};
  rig.run(run_on(&rig, args));
  return rig.sim.events();
}

}  // namespace

TEST_CASE("Unobserved packets: at every look, links and units have done the same") {
  for (std::uint64_t seed = first_seed(); seed <= seeds(30); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    config::MachineSpec spec = varied_machine(random);
    if (seed % 7 == 0) spec.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
    const int program = random.between(1, 1000);
    std::vector<Time> times;
    for (int i = 0; i < 20; ++i)
      times.push_back((times.empty() ? Time{0} : times.back()) + random.between(1, 997'331) * 1_ps);
    const Looks exact = looks(spec, true, {}, program, times);
    for (const Shuffle shuffle : {Shuffle{}, Shuffle{seed}}) {
      const Looks seen = looks(spec, false, shuffle, program, times);
      REQUIRE(seen.size() == exact.size());
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i].same(exact[i]) || order_decides(spec, program, times, exact[i], i)) continue;
        CAPTURE(to_string(times[i]));
        CAPTURE(test::different(seen[i].links, exact[i].links));
        CAPTURE(different(seen[i].units, exact[i].units));
        REQUIRE(seen[i].same(exact[i]));
      }
    }
  }
}

TEST_CASE("Unobserved packets: a load of many packets has the events of one of a single packet") {
  CHECK(events({.bytes = 4096, .stores = false}) == events({.bytes = 256, .stores = false}));
}

}  // namespace kbsim::hw::test::unobserved_test
