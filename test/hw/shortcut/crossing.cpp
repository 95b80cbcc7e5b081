// Long messages and many small ones that cross them: as with an event for each packet at each hop.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "../ahead.hpp"
#include "../mixed_program.hpp"
#include "../random_machine.hpp"
#include "../routers.hpp"
#include "../wires.hpp"

namespace kbsim::hw::test::crossing_test {
namespace {

constexpr DType kByte = DType::u8;
constexpr Time kBegin = 100_us;  // all ranks have their queues

Bandwidth of_one_rate(Random& random, config::MachineSpec& spec) {
  const Bandwidth same = Bandwidth::gbs(random.any_of({32.0, 64.0, 128.0}));
  for (Bandwidth* rate : {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link}) *rate = same;
  for_each_wire(spec, [same](auto& wire) { wire.bandwidth = same; });
  return same;
}

// In one case of three, only links' rates and TCM take time.
config::MachineSpec machine_of(Random& random) {
  config::MachineSpec spec = varied_machine(random);
  const int kind = random.below(3);
  if (kind == 0) spec = simultaneous(std::move(spec));
  spec.pe.pe_tcm.attrs["access_ns"] = random.any_of({0.5, 1.0, 2.0, 4.0, 8.0, 3.7});
  if (kind == 1) {
    for (ComponentSpec* part : {&spec.cube.noc.router, &spec.cube.xbar, &spec.sip.io.router, &spec.sip.ucie})
      part->attrs["overhead_ns"] = random.any_of({0.0, 0.0, 1.0, 2.0});
  }
  spec.system.packet_bytes = Bytes{random.any_of({64, 64, 100, 256, 256, 1000, 4096})};
  if (random.below(3) == 0) {
    const Bandwidth same = of_one_rate(random, spec);
    if (random.below(2) == 0) spec.pe.pe_tcm.attrs["read_bw_gbs"] = same.gbs();
  }
  return spec;
}

NodeId any_source(Random& random, const Rig& rig) {
  const PeCoord at = random_pe(random, *rig.spec);
  const topology::CubeNodes& cube = rig.graph.cube(at.sip, at.cube);
  return random.any_of({rig.pe(at).tcm, rig.pe(at).tcm, cube.m_cpu, cube.sram, rig.graph.host()});
}

// From a few places to a few others.
std::vector<Flow> crossing_flows(Random& random, const Rig& rig) {
  std::vector<NodeId> from;
  std::vector<NodeId> to;
  for (int i = random.between(2, 8); i > 0; --i) from.push_back(any_source(random, rig));
  for (int i = random.between(1, 5); i > 0; --i) to.push_back(rig.hbm(random_pe(random, *rig.spec)));
  const int n = random.between(3, 120);
  const int spread = random.any_of({1, 10, 100, 1000, 5000});
  const int of_large = random.any_of({1, 3, 10, 40});
  const int large = random.any_of({2'000, 20'000, 100'000});
  std::vector<Flow> flows;
  for (int i = 0; i < n; ++i) {
    const bool is_large = random.below(of_large) == 0;
    flows.push_back({.from = from[static_cast<std::size_t>(random.below(static_cast<int>(from.size())))],
                     .to = to[static_cast<std::size_t>(random.below(static_cast<int>(to.size())))],
                     .size = Bytes{is_large ? random.between(1, large) : random.any_of({1, 16, 64, 300})},
                     .at = random.below(spread) * random.any_of({1_ns, 1_ns, Time{500}, Time{1}})});
  }
  return flows;
}

struct Args {
  int seed;
  int rank;  // in the ring
  int most;
};

// Operations of one PE in a round, besides its sends and receives.
class Beside {
 public:
  Beside(TL& tl, Random& random, int most) : tl_{tl}, random_{random}, most_{most} {}

  void store() { going_.push_back(tl_.store(place(), tl_.zeros({some()}, kByte))); }
  void store(const Tile& tile) { going_.push_back(tl_.store(place(), tile)); }
  void load() { loading_.push_back(tl_.load(place(), {some()}, kByte)); }
  void send(std::int64_t n, int tag) {
    going_.push_back(tl_.send({.dir = {"next"}, .src = tl_.zeros({n}, kByte), .tag = tag}));
  }
  void add() {
    const Tile ones = tl_.full({random_.between(1, 40)}, 1, i32);
    tl_.atomic_add({.va = kVa + 4096, .dtype = i32}, ones).detach();
  }
  Task<> loaded() {
    for (Pending<Tile>& one : loading_) (void)co_await one;
    loading_.clear();
  }
  Task<> gone() {
    co_await loaded();
    for (Pending<void>& one : going_) {
      if (random_.below(10) == 0)
        one.detach();
      else
        co_await one;
    }
  }

 private:
  [[nodiscard]] std::int64_t some() { return random_.between(1, random_.any_of({64, 2000, most_})); }
  [[nodiscard]] Ptr place() {
    return Ptr{.va = kVa, .dtype = kByte}.bytes(random_.below(4) * 20'000 + random_.below(3) * 64);
  }

  TL& tl_;
  Random& random_;
  int most_;
  std::vector<Pending<void>> going_;
  std::vector<Pending<Tile>> loading_;
};

// All send the same sizes round the ring; each has other operations besides.
Task<> cross(TL& tl, Args args) {
  Random common{static_cast<std::uint64_t>(args.seed)};
  Random own{static_cast<std::uint64_t>(args.seed * 1000 + args.rank)};
  for (int round = common.between(1, 3); round > 0; --round) {
    Beside beside{tl, own, args.most};
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(common.between(1, 4)));
    for (std::int64_t& size : sizes) size = common.between(1, common.any_of({64, 1000, args.most}));
    for (int i = own.below(3); i > 0; --i) beside.load();
    for (int i = 0; i < std::ssize(sizes); ++i) {
      if (own.below(2) == 0) beside.store();
      beside.send(sizes[static_cast<std::size_t>(i)], i);
      if (own.below(6) == 0) beside.add();
      if (own.below(3) == 0) co_await beside.loaded();
    }
    if (own.below(2) == 0) beside.store();
    for (int i = 0; i < std::ssize(sizes); ++i) {
      const Shape shape{sizes[static_cast<std::size_t>(i)]};
      const Tile tile = co_await tl.recv({.dir = {"previous"}, .shape = shape, .dtype = kByte, .tag = i});
      if (own.below(3) == 0) beside.store(tile);
      if (own.below(3) == 0) beside.load();
    }
    co_await beside.gone();
  }
}

topology::PhysAddr any_memory(Random& random, const Rig& rig, PeCoord me, const std::vector<PeCoord>& pes) {
  PeCoord owner = pes[static_cast<std::size_t>(random.below(static_cast<int>(pes.size())))];
  if (owner.sip != me.sip)
    owner = {me.sip, random.below(rig.spec->cubes_per_sip()), random.below(rig.spec->pes_per_cube())};
  const int k = random.below(5);
  if (k == 0) return topology::PhysAddr::pe_tcm(owner, 0_B);
  if (k == 1) return topology::PhysAddr::cube_sram(owner.sip, owner.cube, 0_B);
  if (k == 2) return in_hbm(*rig.spec, me, 0);
  return in_hbm(*rig.spec, owner, random.below(2) * 100'000);
}

Task<> host_traffic(Rig* rig, int rank, int seed) {
  Random random{static_cast<std::uint64_t>(seed * 77 + rank)};
  hw::IHost& host = hw::host_of(*rig->machine);
  for (int i = random.between(0, 5); i > 0; --i) {
    const NodeId memory =
        rig->hbm({rank, random.below(rig->spec->cubes_per_sip()), random.below(rig->spec->pes_per_cube())});
    co_await rig->sim.delay(random.between(1, 3000) * 1_ns);
    if (random.below(2) == 0)
      co_await host.write(rank, memory, 0, {.value = {}, .offset = 0, .bytes = random.between(1, 9000)});
    else
      (void)co_await host.read(rank, memory, 0, Bytes{random.between(1, 9000)});
  }
}

// Parameters of a program that all ranks share.
struct Plan {
  int seed;
  std::vector<PeCoord> pes;  // a ring of some, in any order
  topology::Region rings;
  QueueSettings settings;
  int most;  // bytes that are sent at a time
};

Plan any_plan(Random& random, const config::MachineSpec& spec) {
  Plan plan{.seed = random.between(1, 100'000), .pes = {}, .rings = {}, .settings = {}, .most = {}};
  for (int i = 0; i < spec.system.sips.count * spec.cubes_per_sip() * spec.pes_per_cube(); ++i) {
    const int cube = i / spec.pes_per_cube();
    plan.pes.push_back({cube / spec.cubes_per_sip(), cube % spec.cubes_per_sip(), i % spec.pes_per_cube()});
  }
  for (std::size_t i = plan.pes.size(); i > 1; --i)
    std::swap(plan.pes[i - 1], plan.pes[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  if (plan.pes.size() > 12) plan.pes.resize(static_cast<std::size_t>(random.between(4, 12)));
  using topology::Region;
  plan.rings = random.any_of({Region::ipcq, Region::ipcq, Region::hbm, Region::sram});
  const int slots = random.between(1, 4);
  const int slot = plan.rings == Region::ipcq ? 16'384 / slots : random.any_of({1024, 16'384, 65'536});
  plan.settings = {.slots = slots,
                   .slot_size = Bytes{slot},
                   .credit_size = Bytes{random.any_of({1, 16, 64})},
                   .vc_chunk = Bytes{random.any_of({0, 1, 64, 100, 256, 1000, 4096})}};
  plan.settings.direct_credit = random.below(4) == 0;
  if (random.below(5) == 0) plan.settings.poll = 10_ns;
  plan.most = std::min(slot, random.any_of({500, 4000, 16'000, 40'000}));
  return plan;
}

QueueSet queues_of(const Rig& rig, const Plan& plan, std::size_t i) {
  const auto base = [&](PeCoord at, int half) {
    const Bytes offset{1'000'000 + half * 400'000};
    if (plan.rings == topology::Region::hbm) return in_hbm(*rig.spec, at, offset.count());
    if (plan.rings == topology::Region::sram)
      return topology::PhysAddr::cube_sram(at.sip, at.cube, offset + 1'000'000_B * at.pe);
    return topology::PhysAddr::pe_ipcq(at, 16_KiB * half);
  };
  const PeCoord me = plan.pes[i];
  const auto end = [&](std::size_t peer, const char* direction, int half) {
    const PeCoord of = plan.pes[peer % plan.pes.size()];
    return QueuePairPlan{
        .direction = direction, .peer = of, .my_base = base(me, half), .peer_base = base(of, 1 - half)};
  };
  return {.queues = {end(i + 1, "next", 0), end(i + plan.pes.size() - 1, "previous", 1)},
          .settings = plan.settings};
}

Task<> one_rank(Rig* rig, int rank, const Plan* plan) {
  std::vector<ControlTarget> maps;
  std::vector<ControlTarget> queues;
  std::vector<ControlTarget> launches;
  Random own{static_cast<std::uint64_t>(plan->seed + 5000 * (rank + 1))};
  for (std::size_t i = 0; i < plan->pes.size(); ++i) {
    const PeCoord at = plan->pes[i];
    if (at.sip != rank) continue;
    const topology::Mapping mapping{
        .va = kVa, .pa = any_memory(own, *rig, at, plan->pes), .bytes = 150'000_B};
    maps.push_back({.pe = at, .action = MapPages{.mappings = {mapping}}, .size = 24_B});
    queues.push_back({.pe = at, .action = queues_of(*rig, *plan, i), .size = 64_B});
    const Args args{.seed = plan->seed, .rank = static_cast<int>(i), .most = plan->most};
    const auto call = std::make_shared<const KernelCall>(bind_kernel("cross", cross, args));
    launches.push_back({.pe = at, .action = Launch{call}, .size = {}});
  }
  if (launches.empty()) co_return;
  for (std::vector<ControlTarget>* targets : {&maps, &queues, &launches})
    std::ranges::sort(*targets, {}, [](const ControlTarget& to) { return std::pair{to.pe.cube, to.pe.pe}; });
  (void)co_await rig->order(maps, rank);
  (void)co_await rig->order(queues, rank);
  co_await rig->sim.until(kBegin);
  (void)rig->sim.spawn("traffic " + std::to_string(rank), host_traffic(rig, rank, plan->seed));
  (void)co_await rig->order(launches, rank);
}

// Round a ring, each flow is reserved after the flow before it, and the first after the last.
std::vector<Flow> round_flows(Random& random, const Rig& rig) {
  const int n = rig.spec->system.sips.count;
  const auto at = [&](int sip) { return PeCoord{((sip % n) + n) % n, 0, 0}; };
  const int first = random.below(n);
  const int turn = random.any_of({1, -1});
  const std::int64_t packet = rig.spec->system.packet_bytes.count();
  const std::int64_t size = random.between(20, 250) * packet;
  std::vector<Flow> flows;
  Time when{};
  const int longer = random.between(100, 200);
  for (int i = 0; i < n; ++i) {
    const int sip = first + turn * i;
    const NodeId from = rig.graph.cube(at(sip).sip, 0).sram;
    const std::int64_t before = size * i * longer / 100;
    for (std::int64_t left = before; left > 0; left -= 200 * packet)
      flows.push_back(
          {.from = from, .to = rig.hbm(at(sip)), .size = Bytes{std::min(left, 200 * packet)}, .at = when});
    flows.push_back({.from = from,
                     .to = rig.hbm(at(sip + turn * random.any_of({2, 2, 2, 2, 1}))),
                     .size = Bytes{size - random.below(2) * random.between(0, 300)},
                     .at = when});
    when += 1_ns;
  }
  for (int i = random.between(1, 6); i > 0; --i)
    flows.push_back({.from = random.any_of({rig.graph.host(), rig.graph.cube(random.below(n), 0).m_cpu,
                                            rig.pe({random.below(n), 0, rig.spec->pes_per_cube() - 1}).dma}),
                     .to = rig.hbm(at(random.below(n))),
                     .size = Bytes{random.any_of({1, 16, 256})},
                     .at = random.between(1, 4000) * 1_ns});
  return flows;
}

// Flows on machines with sinks: `spec_of(random)` and `flows_of(random, rig)`.
template <class SpecOf, class FlowsOf>
void check_flows(SpecOf spec_of, FlowsOf flows_of) {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(60); ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(spec_of(random));
    const std::vector<Flow> flows = flows_of(random, Rig{spec});
    check_random(spec, seed, saved, [&](Rig& rig) { return deliver(rig, flows); });
  }
  CHECK(saved > 100 * (seeds(60) + 1 - first_seed()));
}

config::MachineSpec ring_of_packages(Random& random) {
  config::MachineSpec spec = machine_of(random);
  spec.system.sips.count = random.any_of({4, 4, 5, 6});
  spec.system.sips.topology = config::SipTopology::ring_1d;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.system.packet_bytes = 256_B;
  const Bandwidth same = of_one_rate(random, spec);
  spec.cube.sram.attrs["bw_gbs"] = same.gbs();
  return spec;
}

config::MachineSpec some_packages(Random& random) {
  config::MachineSpec spec = machine_of(random);
  if (random.below(4) == 0) spec = with_slots(random, std::move(spec));
  spec.system.sips.count = random.any_of({1, 2, 3, 4, 6, 8});
  spec.system.sips.topology = random.any_of({config::SipTopology::ring_1d, config::SipTopology::torus_2d});
  return spec;
}

// Ranks on random machines, of one package or more.
void check_ranks(std::uint64_t seed, std::uint64_t& saved) {
  CAPTURE(seed);
  Random random{seed};
  config::MachineSpec spec = machine_of(random);
  spec.system.sips.count = random.any_of({1, 1, 2, 3, 4});
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{random.any_of({1, 2, 4, 16})};
  spec.pe.pe_dma.attrs["request_bytes"] = std::int64_t{random.any_of({64, 500, 1024, 4096, 16'384, 65'536})};
  spec.pe.pe_dma.attrs["vc_chunk_size"] = std::int64_t{random.any_of({1, 64, 100, 256, 1000, 4096})};
  if (random.below(3) == 0) spec.pe.pe_dma.attrs["request_policy"] = std::string{"round_robin"};
  const int k = random.below(12);
  if (k < 2) {
    spec.cube.noc.router.impl = k == 0 ? "builtin.router_vc" : "builtin.router_iq";
    spec.system.packet_bytes = 256_B;
    if (k == 1) spec = without_ports(std::move(spec));
  }
  if (random.below(5) == 0 && k != 1) spec = with_slots(random, std::move(spec));
  spec.cube.pe_layout.pe_per_corner = 2;  // no ring of one
  const Plan plan = any_plan(random, spec);
  check_random(spec, seed, saved, [&](Rig& rig) {
    for (int rank = 0; rank < rig.spec->system.sips.count; ++rank)
      (void)rig.sim.spawn("rank " + std::to_string(rank), one_rank(&rig, rank, &plan));
    rig.sim.run();
    return std::vector<Time>{};
  });
}

}  // namespace

TEST_CASE("Crossing: long messages that are reserved after each other round a ring of packages") {
  check_flows(ring_of_packages, round_flows);
}

TEST_CASE("Crossing: long messages and small ones that cross them, on few routes") {
  check_flows(some_packages, crossing_flows);
}

TEST_CASE("Crossing: PEs of all packages that send, load, store and add, their messages and the host's") {
  std::uint64_t saved = 0;
  for (std::uint64_t seed = first_seed(); seed <= seeds(40); ++seed) check_ranks(seed, saved);
  CHECK(saved > 100 * (seeds(40) + 1 - first_seed()));
}

TEST_CASE(
    "Crossing: packets that a node is yet to take at a time go before those reserved to leave it then") {
  std::uint64_t saved = 0;
  check_ranks(930'704, saved);  // a write's answer leaves TCM with a packet reserved before
  CHECK(saved > 0);
}

}  // namespace kbsim::hw::test::crossing_test
