#include "kbsim/host/probe.hpp"

#include <optional>
#include <utility>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "sanitized.hpp"

using namespace kbsim;
using host::ProbeResult;

namespace {

ProbeResult run(const std::string& name, Bytes bytes, int sources = 1,
                const config::MachineSpec& machine = {}) {
  return host::probe(machine, {}, name, bytes, sources);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const host::ProbeCase& known : host::probe_cases()) all.push_back(known.name);
  return all;
}

}  // namespace

TEST_CASE("Probe: the four parts of every case sum to the total, and nothing queues when alone") {
  for (const std::string& name : names()) {
    for (const Bytes bytes : {1_B, 256_B, 4_KiB}) {
      CAPTURE(name);
      CAPTURE(bytes.count());
      const ProbeResult result = run(name, bytes);
      CHECK(result.split.total() == result.took());
      CHECK(result.split.queueing >= 0_ps);
      const std::int64_t packets = ceil_div(bytes.count(), 256) + 1;
      CHECK(result.split.queueing <= Time{packets * static_cast<std::int64_t>(result.hops.size())});
    }
  }
}

// A packet has its least time on the link, or is stored whole at each port.
TEST_CASE("Probe: frames and packets that are stored are drain, not queueing") {
  config::MachineSpec machine;
  config::ChipLinkSpec& link = machine.system.sips.link;
  link.packet = 100_ns;
  link.frame.header = 64_B;
  for (const bool stores : {false, true}) {
    link.store_and_forward = stores;
    for (const Bytes bytes : {1_B, 256_B}) {
      CAPTURE(stores);
      CAPTURE(bytes.count());
      const ProbeResult result = run("pe-ipcq-other-sip", bytes, 1, machine);
      CHECK(result.split.total() == result.took());
      CHECK(result.split.queueing >= 0_ps);
      CHECK(result.split.queueing <= Time{2 * static_cast<std::int64_t>(result.hops.size())});
      if (!stores) CHECK(result.split.drain >= 100_ns);
    }
  }
}

TEST_CASE(
    "Probe: a PE's own HBM takes crossbar twice, both accesses, the wires, and the drain of slice and "
    "request") {
  const ProbeResult result = run("pe-local-hbm", 4_KiB);
  CHECK(result.split.overhead == 2_ns + 30_ns + 2_ns + 1_ns);
  CHECK(result.split.drain ==
        serialization(4_KiB, Bandwidth::gbs(204.8)) + serialization(16_B, Bandwidth::gbs(256.0)));
  CHECK(result.bottleneck_rate == Bandwidth::gbs(204.8));
}

TEST_CASE(
    "Probe: a send without a slot waits for one, which is no queueing, and a slot for each tile ends it") {
  for (const char* name : {"pe-ipcq-neighbour", "pe-ipcq-other-sip"}) {
    CAPTURE(name);
    for (const Bytes bytes : {16_KiB, 64_KiB, 66_KiB, 256_KiB}) {
      const ProbeResult result = run(name, bytes);
      CHECK(result.split.total() + result.slot_wait == result.took());
      CHECK(result.split.queueing <= Time{ceil_div(bytes.count(), 256) + 1});
      CHECK((result.slot_wait > 0_ps) == (bytes > 16_KiB));  // four slots of 4 KiB
      config::AlgorithmSpec roomy;
      roomy.n_slots = 64;
      const ProbeResult free = host::probe({}, roomy, name, bytes);
      CHECK(free.slot_wait == 0_ps);
      CHECK(result.took() - free.took() == result.slot_wait);
    }
  }
}

TEST_CASE("Probe: slots outside TCM are written, reported, asked for and read, and nothing else takes time") {
  for (const auto kind : {config::BufferKind::hbm, config::BufferKind::sram}) {
    config::AlgorithmSpec queues;
    queues.buffer_kind = kind;
    const auto probed = [&](Bytes bytes) { return host::probe({}, queues, "pe-ipcq-neighbour", bytes); };
    for (const Bytes bytes : {1_B, 256_B, 4_KiB}) {
      const ProbeResult result = probed(bytes);
      CHECK(result.split.total() == result.took());
      CHECK(result.split.queueing >= 0_ps);
      CHECK(result.split.queueing <= 20_ps);
    }
    const ProbeResult many = probed(256_KiB);
    CHECK(many.split.total() + many.slot_wait == many.took());
    CHECK(many.slot_wait > 0_ps);
    CHECK(many.split.queueing >= 0_ps);
    CHECK(many.bottleneck.find("port, both ways") != std::string::npos);
  }
}

TEST_CASE("Probe: a row that opens while a slower link brings the bytes is no overhead") {
  const auto with_row = [](double trcd_ns) {
    config::MachineSpec machine;
    machine.cube.hbm_ctrl = {.impl = "builtin.hbm_banks", .attrs = {{"trcd_ns", trcd_ns}}};
    return machine;
  };
  const ProbeResult written = run("h2d-write", 4_KiB, 1, with_row(14.0));
  const ProbeResult sooner = run("h2d-write", 4_KiB, 1, with_row(10.0));
  CHECK(written.took() == sooner.took());
  CHECK(written.split.overhead == sooner.split.overhead);
  const ProbeResult read = run("d2h-read", 4_KiB, 1, with_row(14.0));
  CHECK(read.took() == run("d2h-read", 4_KiB, 1, with_row(10.0)).took() + 4_ns);
  CHECK(read.split.overhead == run("d2h-read", 4_KiB, 1, with_row(10.0)).split.overhead + 4_ns);
}

TEST_CASE("Probe: no part is negative with banks and any slots, and the parts sum to the total") {
  config::MachineSpec machine;
  machine.cube.hbm_ctrl = {.impl = "builtin.hbm_banks"};
  for (const auto kind : {config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram}) {
    config::AlgorithmSpec queues;
    queues.buffer_kind = kind;
    for (const std::string& name : names()) {
      for (const Bytes bytes : {1_B, 4_KiB, 64_KiB}) {
        CAPTURE(name);
        CAPTURE(bytes.count());
        const ProbeResult result = host::probe(machine, queues, name, bytes);
        CHECK(result.split.total() + result.slot_wait == result.took());
        CHECK(result.split.queueing >= 0_ps);
        CHECK(result.split.overhead >= 0_ps);
      }
    }
  }
}

TEST_CASE("Probe: every transfer but a send waits for no slot") {
  for (const std::string& name : names()) {
    if (!name.starts_with("pe-ipcq")) CHECK(run(name, 64_KiB).slot_wait == 0_ps);
  }
}

TEST_CASE("Probe: the floor plan gives a slice near the crossbar less wire than a PE's own") {
  const ProbeResult own = run("pe-local-hbm", 4_KiB);
  const ProbeResult other = run("pe-same-cube-hbm", 4_KiB);
  CHECK(own.crossbar_mm == 7.5);    // (1.25, 1.25) of 10 mm x 10 mm, the crossbar in the middle
  CHECK(other.crossbar_mm == 5.0);  // (6.25, 8.75)
  CHECK(own.split.wire - other.split.wire == 2 * 25_ps);  // 2.5 mm, there and back
  CHECK(own.took() - other.took() == own.split.wire - other.split.wire);
  CHECK(!run("pe-tcm", 4_KiB).crossbar_mm);
}

TEST_CASE("Probe: farther memories take longer") {
  Time last{};
  for (const char* name : {"pe-local-hbm", "pe-neighbour-cube-hbm", "pe-far-cube-hbm"}) {
    const Time now = run(name, 4_KiB).took();
    CHECK(now > last);
    last = now;
  }
  CHECK(run("pe-ipcq-other-sip", 4_KiB).took() > run("pe-ipcq-neighbour", 4_KiB).took());
}

TEST_CASE("Probe: larger transfers use more of the bottleneck, never more than all of it") {
  for (const std::string& name : names()) {
    if (name.starts_with("pe-ipcq")) continue;  // bounded by slots and credits instead
    CAPTURE(name);
    double last = 0.0;
    for (const Bytes bytes : {4_KiB, 32_KiB, 256_KiB, 1_MiB}) {
      if (kbsim::test::kSanitized && bytes == 1_MiB) continue;
      const double now = run(name, bytes).utilization();
      CHECK(now > last);
      CHECK(now <= 1.0);
      last = now;
    }
    CHECK(last > (kbsim::test::kSanitized ? 0.8 : 0.9));
  }
}

TEST_CASE("Probe: sources share the bottleneck, and their own slices not at all") {
  const double alone = run("pe-same-cube-hbm", 64_KiB).effective_gbs();
  const ProbeResult shared = run("pe-same-cube-hbm", 64_KiB, 8);
  CHECK(shared.total_gbs() <= 204.8);
  CHECK(shared.total_gbs() > alone);
  config::MachineSpec machine;
  machine.cube.noc.w = machine.cube.noc.h = 1;  // all PEs at one place: equal wires
  for (const host::ProbeFlow& flow : run("pe-local-hbm", 64_KiB, 8, machine).flows) {
    CHECK(flow.took() == run("pe-local-hbm", 64_KiB, 1, machine).took());
  }
}

TEST_CASE("Probe: hops go forward in time and end where the data goes") {
  const ProbeResult result = run("pe-neighbour-cube-hbm", 4_KiB);
  Time last{};
  for (const host::ProbeHop& hop : result.hops) {
    CHECK(hop.depart >= hop.arrive);
    CHECK(hop.arrive >= last - 30_ns);  // a cut-through head passes while the tail follows
    last = hop.arrive;
  }
  CHECK(result.hops.front().node == "sip0.cube0.pe0.pe_dma");
  CHECK(result.hops.back().node == "sip0.cube0.pe0.pe_tcm");
}

TEST_CASE("Probe: on every small shape of packages and cubes each case that there is has its four parts") {
  for (const config::SipTopology topology :
       {config::SipTopology::ring_1d, config::SipTopology::torus_2d, config::SipTopology::mesh_2d,
        config::SipTopology::mesh_2d_no_wrap}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {1, 4}, {2, 2}, {3, 2}}) {
      if (topology == config::SipTopology::ring_1d && h > 1) continue;
      for (const auto& [cube_w, cube_h] : {std::pair{1, 1}, {1, 2}, {2, 1}}) {
        config::MachineSpec machine;
        machine.system.sips.count = w * h;
        machine.system.sips.topology = topology;
        machine.system.sips.w = w;
        machine.system.sips.h = h;
        machine.sip.cube_mesh = {.w = cube_w, .h = cube_h};
        machine.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = 1};
        for (const std::string& name : names()) {
          if (host::missing_for(name, machine)) continue;
          CAPTURE(topology);
          CAPTURE(w);
          CAPTURE(h);
          CAPTURE(name);
          const ProbeResult result = run(name, 256_B, 1, machine);
          CHECK(result.split.total() == result.took());
          CHECK(result.split.queueing <= Time{2 * static_cast<std::int64_t>(result.hops.size())});
        }
      }
    }
  }
}

TEST_CASE("Probe: no order of simultaneous events shows, alone or with several sources") {
  for (const std::string& name : names()) {
    for (const int sources : {1, 8}) {
      const auto flows = [&](std::optional<std::uint64_t> shuffle) {
        std::vector<std::pair<Time, Time>> all;
        const ProbeResult result =
            host::probe({}, {}, name, 10_KiB, sources, SimulationOptions{.shuffle_ties = shuffle});
        for (const host::ProbeFlow& flow : result.flows) all.emplace_back(flow.start, flow.end);
        return all;
      };
      const auto usual = flows(std::nullopt);
      for (const std::uint64_t seed : {1, 2, 3}) {
        if (kbsim::test::kSanitized && seed > 1) continue;
        CAPTURE(name);
        CAPTURE(sources);
        CHECK((flows(seed) == usual));
      }
    }
  }
}

TEST_CASE("Probe: what a machine lacks, and what isn't a probe, is refused") {
  config::MachineSpec one;
  one.system.sips.count = 1;
  one.sip.cube_mesh = {.w = 1, .h = 1};
  CHECK(host::missing_for("pe-other-sip-hbm", one) == "needs two packages");
  CHECK(host::missing_for("pe-ipcq-neighbour", one) == "needs two cubes a package");
  CHECK(!host::missing_for("pe-local-hbm", one));
  CHECK_THROWS_AS((void)run("pe-other-sip-hbm", 4_KiB, 1, one), UsageError);
  CHECK_THROWS_WITH_AS((void)run("pe-locl-hbm", 4_KiB),
                       "unknown probe case 'pe-locl-hbm', did you mean 'pe-local-hbm'?", UsageError);
  CHECK_THROWS_AS((void)run("pe-local-hbm", 0_B), UsageError);
  CHECK_THROWS_AS((void)run("pe-local-hbm", 4_KiB, 9), UsageError);
}
