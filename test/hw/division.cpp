// Packages in processes of their own give the results of one process, for any number of threads.
#include "kbsim/hw/division.hpp"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "ahead.hpp"
#include "mixed_program.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::division_test {
namespace {

constexpr DType kWord = DType::i32;

struct RoundArgs {
  int seed;
};

// Sends to the PE of the next package, and works in that package's memory.
Task<> visit_next(TL& tl, RoundArgs args) {
  Random random{static_cast<std::uint64_t>(args.seed)};
  const Ptr next{.va = kVa, .dtype = kWord};
  for (int round = 0; round < 4; ++round) {
    const std::int64_t n = random.between(1, 200);
    auto loading = tl.load(next, {n}, kWord);
    const Tile mine = tl.zeros({n}, kWord);
    auto sending = tl.send({.dir = {"next"}, .src = mine, .tag = round});
    auto coming = tl.recv({.dir = {"previous"}, .shape = {n}, .dtype = kWord, .tag = round});
    const Tile loaded = co_await loading;
    const Tile come = co_await coming;
    co_await tl.store(next, loaded + come);
    auto added = tl.atomic_add(next.bytes(8000), 1);
    (void)co_await added;
    co_await sending;
  }
}

std::vector<PeCoord> pes_of(const config::MachineSpec& spec, int sip) {
  std::vector<PeCoord> pes;
  for (int i = 0; i < spec.cubes_per_sip() * spec.pes_per_cube(); ++i)
    pes.push_back({sip, i / spec.pes_per_cube(), i % spec.pes_per_cube()});
  return pes;
}

// "next" of each PE ends in "previous" of the same PE of the next package.
std::vector<ControlTarget> rings(const config::MachineSpec& spec, int sip, bool direct) {
  const int sips = spec.system.sips.count;
  std::vector<ControlTarget> targets;
  for (const PeCoord me : pes_of(spec, sip)) {
    PeCoord next = me;
    PeCoord previous = me;
    next.sip = (sip + 1) % sips;
    previous.sip = (sip + sips - 1) % sips;
    QueueSet queues = ring_queues(
        previous, me, next, {.slots = 2, .slot_size = 1_KiB, .credit_size = 16_B, .direct_credit = direct});
    targets.push_back({.pe = me, .action = std::move(queues), .size = 64_B});
  }
  return targets;
}

std::vector<ControlTarget> maps(const config::MachineSpec& spec, int sip) {
  std::vector<ControlTarget> targets;
  for (const PeCoord me : pes_of(spec, sip)) {
    const PeCoord owner{.sip = (sip + 1) % spec.system.sips.count, .cube = me.cube, .pe = me.pe};
    const topology::Mapping mapping{.va = kVa, .pa = in_hbm(spec, owner), .bytes = 10000_B};
    targets.push_back({.pe = me, .action = MapPages{.mappings = {mapping}}, .size = 24_B});
  }
  return targets;
}

Task<> rank(Rig* rig, int sip, int seed, bool direct) {
  IHost& host = host_of(*rig->machine);
  const oplog::Slice nothing{.value = {}, .offset = 0, .bytes = 700 + sip};
  co_await host.write(sip, rig->hbm({0, 0, 0}), 100 * sip, nothing);
  (void)co_await rig->order(maps(*rig->spec, sip), sip);
  (void)co_await rig->order(rings(*rig->spec, sip, direct), sip);
  (void)co_await rig->launch(pes_of(*rig->spec, sip), bind_kernel("visit_next", visit_next, RoundArgs{seed}),
                             sip);
  (void)co_await host.read(sip, rig->hbm({0, 0, 0}), 0, 2000_B);
}

void start_visits(Rig& rig, int seed, bool direct = false) {
  for (int sip = 0; sip < rig.spec->system.sips.count; ++sip)
    (void)rig.sim.spawn("rank " + std::to_string(sip), rank(&rig, sip, seed, direct));
}

Outcome all_of(Rig& rig) {
  rig.machine->fabric().audit();
  Outcome result{.arrivals = {}};
  result.links = use_of_links(rig.machine->fabric());
  result.digest = rig.machine->digest().value();
  note_use(rig, result);
  result.end = rig.sim.now();
  result.events = rig.machine->events();
  return result;
}

struct Case {
  config::MachineSpec spec;
  bool visits;  // else the mixed program
  int seed;

  Outcome run(Rig& rig, unsigned threads) const {
    if (visits)
      start_visits(rig, seed);
    else
      start_mixed_program(rig, seed);
    rig.machine->run(threads);
    return all_of(rig);
  }
};

// Returns false if the machine is one process. Threads share all windows, or the windows where sharing pays.
bool check_divided(const Case& test, const Outcome& expected, unsigned threads, Shuffle shuffle,
                   std::uint64_t& events) {
  Rig rig{test.spec, {.shuffle_ties = shuffle}, Rig::Divided{}};
  const Division* const division = rig.machine->division();
  if (division != nullptr && threads != 3) division->windows().force_meetings(true);
  const Outcome divided = test.run(rig, threads);
  REQUIRE(divided.same(expected));
  if (!shuffle) {
    if (events == 0) events = divided.events;
    CHECK(divided.events == events);
  }
  return rig.machine->division() != nullptr;
}

config::MachineSpec packages(int count) {
  config::MachineSpec spec = small_machine();
  spec.system.sips.count = count;
  return spec;
}

struct StuckArgs {
  bool faults;
};

Task<> receive_for_ever(TL& tl, StuckArgs args) {
  if (args.faults) throw KernelFault{"no"};
  const Tile x = tl.zeros({512, 512});
  const Tile product = tl.dot(x, x);  // ends long after all others wait
  auto coming = tl.recv({.dir = {"previous"}, .shape = {4}, .dtype = kWord, .tag = 0});
  (void)co_await coming;
}

Task<> launch_stuck(Rig* rig, int sip, bool faults) {
  (void)co_await rig->order(rings(*rig->spec, sip, false), sip);
  const StuckArgs args{.faults = faults && sip == 0};
  (void)co_await rig->launch({{sip, 0, 0}}, bind_kernel("receive_for_ever", receive_for_ever, args), sip);
}

std::string failure_of(Rig&& rig, bool faults, unsigned threads = 1) {
  for (int sip = 0; sip < 2; ++sip)
    (void)rig.sim.spawn("rank " + std::to_string(sip), launch_stuck(&rig, sip, faults));
  try {
    rig.machine->run(threads);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE(
    "Division: random machines and programs are the same on 1, 2, 3, 4 and 8 threads, ties shuffled or not") {
  int divided = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(30); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Case test{.spec = varied_machine(random), .visits = seed % 2 == 0, .seed = random.between(1, 1000)};
    test.spec.system.sips.count = random.between(2, 5);
    if (seed % 3 == 0) test.spec.system.host_link.length_mm = test.spec.system.sips.link.length_mm = 333.3;
    if (seed % 3 == 0) test.spec.system.ns_per_mm = 0.01;
    if (seed % 7 == 0) test.spec.cube.noc.router.impl = "builtin.router_vc";
    if (seed % 7 == 0) test.spec.system.packet_bytes = 256_B;
    Rig alone{test.spec};
    const Outcome expected = test.run(alone, 1);
    std::uint64_t events = 0;
    for (const unsigned threads : {1U, 2U, 3U, 4U, 8U}) {
      for (const Shuffle shuffle : {Shuffle{}, Shuffle{seed}})
        divided += check_divided(test, expected, threads, shuffle, events) ? 1 : 0;
    }
  }
  CHECK(divided > 4 * static_cast<int>(seeds(30)));
}

TEST_CASE("Division: machines whose links have slots stay in one process") {
  for (const bool between_packages : {true, false}) {
    config::MachineSpec spec = packages(2);
    spec.system.ns_per_mm = 0.01;
    (between_packages ? spec.system.sips.link : spec.sip.ucie_link).credits = 3;
    const Rig rig{spec, {}, Rig::Divided{}};
    CHECK(rig.machine->division() == nullptr);
    CHECK(rig.machine->undivided_because().ends_with("has slots (credits)"));
  }
}

TEST_CASE("Division: the lookahead is the least overhead and wire of a link between packages, or the host") {
  config::MachineSpec spec = packages(2);
  spec.system.ns_per_mm = 0.01;
  spec.system.host_link.length_mm = 400.0;
  spec.system.sips.link.length_mm = 700.0;
  spec.sip.io.pcie_ep.attrs["overhead_ns"] = 8.0;
  spec.system.components.pcie_switch.attrs["overhead_ns"] = 5.0;
  const Rig rig{spec, {}, Rig::Divided{}};
  REQUIRE(rig.machine->division() != nullptr);
  CHECK(rig.machine->division()->windows().lookahead() == 5_ns + 4_ns);
  CHECK(rig.machine->division()->processes() == 3);
}

TEST_CASE("Division: packages whose links take less than 1 ns are one process, and the machine says why") {
  config::MachineSpec spec = simultaneous(packages(2));
  const Rig rig{spec, {}, Rig::Divided{}};
  CHECK(rig.machine->division() == nullptr);
  CHECK(rig.machine->undivided_because().ends_with("takes 0 ns, less than 1 ns"));
}

TEST_CASE("Division: what one process would see of another's inside is an error that says so") {
  Rig rig{packages(2), {}, Rig::Divided{}};
  REQUIRE(rig.machine->division() != nullptr);
  start_visits(rig, 1, true);  // credits that go beside the links
  CHECK_THROWS_WITH_AS(rig.machine->run(2), doctest::Contains("side by side: --num-threads 1"), ProcessError);
}

TEST_CASE(
    "Division: a deadlock of two packages, and a kernel's fault, have the same text as in one process") {
  for (const bool faults : {false, true}) {
    const std::string expected = failure_of(Rig{packages(2)}, faults);
    CAPTURE(expected);
    CHECK(expected.starts_with(faults ? "process sip0.cube0.pe0.pe_cpu kernels at " : "deadlock at "));
    for (const unsigned threads : {1U, 2U, 3U})
      CHECK(failure_of(Rig{packages(2), {}, Rig::Divided{}}, faults, threads) == expected);
  }
}

TEST_CASE("Division: where only times are kept, a deadlock and a limit wait for the engines' ends, too") {
  for (const Time stop_at : {kForever, 10'000_ns}) {
    const SimulationOptions options{.stop_at = stop_at};
    const std::string expected = failure_of(Rig{packages(2), options}, false);
    CAPTURE(expected);
    CHECK(expected.starts_with(stop_at == kForever ? "deadlock at " : "stopped at 10000 ns"));
    CHECK(failure_of(Rig{packages(2), options, oplog::Keep::times}, false) == expected);
    for (const unsigned threads : {1U, 2U, 3U})
      CHECK(failure_of(Rig{packages(2), options, Rig::Divided{}, oplog::Keep::times}, false, threads) ==
            expected);
  }
}

}  // namespace kbsim::hw::test::division_test
