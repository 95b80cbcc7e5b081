#include "kbsim/hw/parallel_bound.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/machine_parts.hpp"
#include "kbsim/sim/mailbox.hpp"

#include "harness.hpp"
#include "idle.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::parallel_bound_test {
namespace {

Task<> tick(Simulation* sim, int times) {
  for (int i = 0; i < times; ++i) co_await sim->delay(1_ns);
}
Task<> pass_on(Simulation* sim, Mailbox<int>* in, Mailbox<int>* out, Time latency) {
  for (;;) {
    const int left = co_await in->receive();
    if (left > 0) out->post(sim->now() + latency, left - 1);
  }
}

// A host, and packages of a part each.
Partition packages(std::size_t n, Time lookahead) {
  Partition result{.processes = n + 1, .lookahead = lookahead, .from = "a wire"};
  for (std::size_t i = 0; i <= n; ++i) result.process.push_back(i);
  return result;
}

Task<> write_all(Rig* rig) {
  for (int sip = 0; sip < rig->spec->system.sips.count; ++sip) {
    const NodeId memory = rig->hbm({.sip = sip, .cube = 0, .pe = 0});
    co_await host_of(*rig->machine).write(0, memory, 0, {.value = {}, .offset = 0, .bytes = 5000});
  }
}

config::MachineSpec two_packages() {
  config::MachineSpec spec = small_machine();
  spec.system.sips.count = 2;
  return spec;
}

}  // namespace

TEST_CASE("Parallel bound: two packages that never meet are twice as fast on two threads or more") {
  Simulation sim;
  for (const PartId package : {PartId{1}, PartId{2}}) {
    sim.build(package);
    sim.spawn("package", tick(&sim, 999));
  }
  ParallelBound watch{{packages(2, 9_ns), packages(2, kForever)}};
  sim.watch(&watch);
  sim.run();
  for (const ParallelBound::Bound& bound : watch.close()) {
    CHECK(bound.events.total() == sim.events());
    CHECK(bound.host_events == 0);
    for (std::size_t i = 1; i < WindowLoads::kThreads.size(); ++i)
      CHECK(bound.events.times_as_fast(i) == 2.0);
  }
}

TEST_CASE("Parallel bound: a chain of packages is as slow as one, on any number of threads") {
  constexpr int kPackages = 4;
  Simulation sim;
  std::vector<std::unique_ptr<Mailbox<int>>> boxes;
  for (int i = 0; i < kPackages; ++i) {
    sim.build(static_cast<PartId>(1 + i));
    boxes.push_back(std::make_unique<Mailbox<int>>(sim, "box"));
  }
  for (int i = 0; i < kPackages; ++i) {
    sim.build(static_cast<PartId>(1 + i));
    const auto at = static_cast<std::size_t>(i);
    sim.serve("package", pass_on(&sim, boxes[at].get(), boxes[(at + 1) % kPackages].get(), 9_ns));
  }
  sim.run();  // they wait
  boxes.front()->post(sim.now(), 999);
  ParallelBound watch{{packages(kPackages, 9_ns)}};
  sim.watch(&watch);
  sim.run();
  const ParallelBound::Bound& bound = watch.close().front();
  CHECK(bound.events.total() == 1000);
  CHECK(bound.events.windows() == 1000);
  for (std::size_t i = 0; i < WindowLoads::kThreads.size(); ++i) CHECK(bound.events.times_as_fast(i) == 1.0);
}

TEST_CASE("Partition: a machine's processes are its packages or its cubes, and the least link between them") {
  const Rig rig{two_packages()};
  const Partition package = partition(*rig.machine, Cut::package, 1_ps);
  CHECK(package.processes == 3);
  const Partition cube = partition(*rig.machine, Cut::cube, 1_ps);
  CHECK(cube.processes == 1 + 2 * (1 + 2));
  for (const auto& [cut, by_cube] : {std::pair{&package, false}, std::pair{&cube, true}}) {
    Time least = kForever;
    for (const topology::Link& link : rig.graph.links()) {
      const topology::Node& a = rig.graph.node(link.from);
      const topology::Node& b = rig.graph.node(link.to);
      if (a.at.sip == b.at.sip && (!by_cube || a.at.cube == b.at.cube)) continue;
      least = std::min(least, overhead(a) + link.wire);
    }
    CHECK(cut->lookahead == least);
    CHECK(!cut->from.empty());
  }
}

TEST_CASE("Partition: what is joined with less than the least lookahead is one process") {
  const Rig rig{two_packages()};
  const Time apart = partition(*rig.machine, Cut::cube, 1_ps).lookahead;
  CHECK(partition(*rig.machine, Cut::cube, apart).lookahead == apart);
  const Partition coarser = partition(*rig.machine, Cut::cube, apart + 1_ps);
  CHECK(coarser.lookahead > apart);
  CHECK(coarser.processes < partition(*rig.machine, Cut::cube, apart).processes);
  const Partition one = partition(*rig.machine, Cut::cube, 1_us);
  CHECK(one.processes == 1);
  CHECK(one.lookahead == kForever);
  CHECK(one.from.empty());
}

TEST_CASE("Parallel bound: each event of a machine is in one window of one process, in any order of ties") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const SimulationOptions options{.shuffle_ties = seed % 2 == 0 ? std::optional{seed} : std::nullopt};
    Rig rig{random_machine(random), options};
    ParallelBound watch{{partition(*rig.machine, Cut::package, 1_ns),
                         partition(*rig.machine, Cut::cube, 1_ns), undivided(*rig.machine)}};
    rig.sim.watch(&watch);
    rig.run(write_all(&rig));
    for (const ParallelBound::Bound& bound : watch.close()) {
      CHECK(bound.events.total() == rig.sim.events());
      CHECK(bound.host_events > 0);
      CHECK(bound.work.total() >= rig.sim.events());
      CHECK(bound.work.windows() == bound.events.windows());
      for (std::size_t i = 1; i < WindowLoads::kThreads.size(); ++i)
        CHECK(bound.events.longest(i) <= bound.events.longest(i - 1));
      const auto processes = static_cast<double>(bound.partition.processes);
      CHECK(bound.events.times_as_fast(WindowLoads::kThreads.size() - 1) <= processes);
    }
  }
}

TEST_CASE("Machine parts: a host program that writes to one package leaves no event in another") {
  Rig rig{two_packages()};
  rig.sim.run();  // all components wait
  struct Parts final : EventWatch {
    void ran(Time /*when*/, PartId part) override { seen.push_back(part); }
    std::vector<PartId> seen;
  } parts;
  rig.sim.watch(&parts);
  const auto write = [](Rig* on) -> Task<> {
    const NodeId memory = on->hbm({.sip = 1, .cube = 1, .pe = 0});
    co_await host_of(*on->machine).write(0, memory, 0, {.value = {}, .offset = 0, .bytes = 300});
  };
  rig.run(write(&rig));
  const MachineParts numbers{rig.graph};
  const auto of = [&](int sip, int cube) {
    return numbers.of(rig.graph.node(rig.graph.cube(sip, cube).xbar));
  };
  CHECK(std::ranges::count(parts.seen, of(0, 0)) == 0);
  CHECK(std::ranges::count(parts.seen, of(0, 1)) == 0);
  CHECK(std::ranges::count(parts.seen, of(1, 1)) > 0);
  CHECK(std::ranges::count(parts.seen, MachineParts::kHost) > 0);
  for (const PartId part : parts.seen) CHECK((part == MachineParts::kHost || numbers.package(part) == 1));
}

}  // namespace kbsim::hw::test::parallel_bound_test
