#include "random_machine.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include "wires.hpp"

namespace kbsim::hw::test {
namespace {

Bandwidth any_rate(Random& random) {
  return Bandwidth::gbs(random.any_of({32.0, 64.0, 77.7, 100.0, 128.0, 204.8, 256.0, 333.0, 512.0}));
}

double any_delay(Random& random) { return random.any_of({0.0, 0.125, 0.5, 1.0, 2.0, 3.7, 8.0, 11.003}); }

void any_wire(Random& random, auto& wire) {
  wire = {.bandwidth = any_rate(random), .length_mm = random.any_of({0.0, 1.0, 2.5, 100.0, 333.3})};
}

void any_overheads(Random& random, config::MachineSpec& spec) {
  for (ComponentSpec* part : {&spec.system.components.pcie_switch, &spec.sip.ucie, &spec.sip.io.pcie_ep,
                              &spec.sip.io.io_cpu, &spec.sip.io.router, &spec.cube.noc.router,
                              &spec.cube.m_cpu, &spec.cube.xbar, &spec.pe.pe_mmu, &spec.pe.pe_ipcq}) {
    part->attrs["overhead_ns"] = any_delay(random);
  }
}

void any_memories(Random& random, config::MachineSpec& spec) {
  for (ComponentSpec* memory : {&spec.cube.hbm_ctrl, &spec.cube.sram, &spec.pe.pe_tcm})
    memory->attrs["access_ns"] = any_delay(random);
  spec.cube.hbm_ctrl.attrs["efficiency"] = random.any_of({0.5, 0.8, 1.0});
  spec.cube.sram.attrs["bw_gbs"] = any_rate(random).gbs();
  spec.pe.pe_tcm.attrs["read_bw_gbs"] = any_rate(random).gbs();
  spec.pe.pe_tcm.attrs["write_bw_gbs"] = any_rate(random).gbs();
}

// Ports that store packets. All other draws stay the same.
void any_ports(Random random, config::ChipLinkSpec& link) {
  link.store_and_forward = random.below(2) == 0;
  if (link.store_and_forward) link.receive = link.packet * random.below(3) / 2;
}

// Frames, least times of packets and latencies between chips.
void any_frames(Random& random, config::ChipLinkSpec& link) {
  link.latency = from_ns(any_delay(random));
  link.channels = random.between(1, 3);
  link.efficiency = random.any_of({1.0, 0.9, 0.5});
  link.packet = from_ns(random.any_of({0.0, 0.0, 1.0, 7.3, 50.0}));
  link.frame = {.header = Bytes{random.any_of({0, 16, 48})},
                .payload = Bytes{random.any_of({0, 64, 100, 1500})},
                .overhead = Bytes{random.any_of({0, 8, 50})}};
  any_ports(random, link);
}

std::vector<config::Spot> any_spots(Random& random, const config::NocSpec& noc, int count) {
  std::vector<config::Spot> spots;
  for (int i = 0; i < count; ++i) spots.push_back({.x = random.below(noc.w), .y = random.below(noc.h)});
  return spots;
}

// PEs anywhere, some at one router; in two cases of three memory channels of one or two ports, shared by all;
// rings, some of them one-way.
void any_plan(Random& random, config::CubeSpec& cube) {
  config::FloorPlanSpec& plan = cube.floorplan;
  cube.noc.wrap = random.below(2) == 0;
  if (cube.noc.wrap)
    cube.noc.links = {
        random.any_of({config::NocLinks::both, config::NocLinks::east_south, config::NocLinks::north_west})};
  plan.pe.at = any_spots(random, cube.noc, random.between(1, 4));
  plan.pe.per_router = random.between(1, 2);
  plan.port.n = any_spots(random, cube.noc, 1);
  plan.port.e = any_spots(random, cube.noc, 1);
  if (random.below(2) == 0) plan.m_cpu.at = any_spots(random, cube.noc, 1);
  if (random.below(2) == 0) plan.sram.at = any_spots(random, cube.noc, 1);
  if (random.below(3) == 0) return;
  for (int channel = random.between(1, 5); channel > 0; --channel) {
    std::vector<config::Spot> ports = any_spots(random, cube.noc, random.between(1, 2));
    if (ports.front() == ports.back()) ports.resize(1);
    plan.hbm.channels.push_back({.at = ports});
  }
  plan.hbm.bandwidth = any_rate(random);
  plan.hbm.channel = 8_GiB;
  plan.hbm.interleave = Bytes{random.any_of({0, 4096, 256, 64})};
}

// In one case of three a second network, and kinds of traffic on either. All other draws stay the same.
void any_networks(Random random, config::NocSpec& noc) {
  if (random.below(3) != 0) return;
  noc.links.push_back(noc.wrap ? random.any_of({config::NocLinks::both, config::NocLinks::east_south,
                                                config::NocLinks::north_west})
                               : config::NocLinks::both);
  const auto any = [&] { return random.any_of({config::NocNumber::noc0, config::NocNumber::noc1}); };
  noc.use = {.reads = any(), .writes = any(), .messages = any(), .control = any()};
}

}  // namespace

config::MachineSpec random_machine(Random& random) {
  config::MachineSpec spec;
  spec.system.packet_bytes = Bytes{random.any_of({0, 64, 256, 1000})};
  spec.system.control_bytes = Bytes{random.any_of({1, 16, 64})};
  spec.system.ns_per_mm = random.any_of({0.0, 0.01, 0.007});
  spec.system.sips.count = random.between(1, 4);
  spec.system.sips.topology =
      random.any_of({config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                     config::SipTopology::mesh_2d, config::SipTopology::mesh_2d_no_wrap});
  spec.sip.cube_mesh = {.w = random.between(1, 3), .h = random.between(1, 3)};
  spec.cube.noc.w = random.between(1, 4);
  spec.cube.noc.h = random.between(1, 4);
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE, config::Corner::NE},
                         .pe_per_corner = random.between(1, 2)};
  spec.cube.pe_layout.corners.resize(static_cast<std::size_t>(random.between(1, 3)));
  for (Bandwidth* rate : {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link})
    *rate = any_rate(random);
  for_each_wire(spec, [&](auto& wire) { any_wire(random, wire); });
  any_overheads(random, spec);
  any_memories(random, spec);
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{100'000};
  return spec;
}

config::MachineSpec varied_machine(Random& random) {
  config::MachineSpec spec = random_machine(random);
  if (random.below(2) == 0) any_plan(random, spec.cube);
  if (random.below(3) == 0) {
    any_frames(random, spec.system.sips.link);
    any_frames(random, spec.sip.ucie_link);
  }
  const bool one_way = spec.system.sips.topology == config::SipTopology::ring_1d_unidir;
  if (one_way) spec.system.sips.link.receive = Time{0};
  any_networks(random, spec.cube.noc);
  return spec;
}

config::MachineSpec with_slots(Random& random, config::MachineSpec spec) {
  spec.system.sips.link.credits = random.between(2, 5);
  spec.system.sips.bubble = true;  // of no account where packages form no ring
  spec.sip.ucie_link.credits = random.between(0, 3);
  return spec;
}

config::MachineSpec without_processors(config::MachineSpec spec) {
  for (config::ChipLinkSpec* const link : {&spec.system.sips.link, &spec.sip.ucie_link}) {
    link->receive = Time{0};
    if (link->store_and_forward) link->packet = Time{0};
  }
  return spec;
}

config::MachineSpec without_ports(config::MachineSpec spec) {
  for (config::ChipLinkSpec* const link : {&spec.system.sips.link, &spec.sip.ucie_link}) {
    link->receive = Time{0};
    link->store_and_forward = false;
  }
  return spec;
}

config::MachineSpec in_step(config::MachineSpec spec) {
  for (ComponentSpec* part :
       {&spec.system.components.pcie_switch, &spec.sip.ucie, &spec.sip.io.pcie_ep, &spec.sip.io.io_cpu,
        &spec.sip.io.router, &spec.cube.noc.router, &spec.cube.m_cpu, &spec.cube.xbar, &spec.cube.hbm_ctrl,
        &spec.cube.sram, &spec.pe.pe_tcm, &spec.pe.pe_mmu, &spec.pe.pe_ipcq}) {
    for (const char* const name : {"overhead_ns", "access_ns"}) {
      const auto found = part->attrs.find(name);
      if (found != part->attrs.end()) found->second = std::round(std::get<double>(found->second));
    }
  }
  const Bandwidth same = Bandwidth::gbs(64);
  for (Bandwidth* rate : {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link}) *rate = same;
  for_each_wire(spec, [&](auto& wire) { wire.bandwidth = same; });
  spec.cube.sram.attrs["bw_gbs"] = same.gbs();
  spec.pe.pe_tcm.attrs["read_bw_gbs"] = same.gbs();
  spec.pe.pe_tcm.attrs["write_bw_gbs"] = same.gbs();
  spec.cube.hbm_ctrl.attrs["efficiency"] = 1.0;
  spec.system.ns_per_mm = 0.0;
  spec.system.control_bytes = 64_B;
  if (spec.system.packet_bytes > 0_B && spec.system.packet_bytes.count() % 64 != 0)
    spec.system.packet_bytes = 256_B;
  return spec;
}

PeCoord random_pe(Random& random, const config::MachineSpec& spec) {
  return {.sip = random.below(spec.system.sips.count),
          .cube = random.below(spec.cubes_per_sip()),
          .pe = random.below(spec.pes_per_cube())};
}

}  // namespace kbsim::hw::test
