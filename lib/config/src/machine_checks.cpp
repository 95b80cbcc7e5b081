#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "config_checks.hpp"

namespace kbsim::config {
namespace {

// Ranges of the fields of a physical address.
constexpr int kMaxPes = 16;
constexpr Bytes kMaxHbm = 128_GiB;

// Checked for a ring, too: collectives over a grid of ranks use w and h, whatever joins the packages.
void check_sips(const SipsSpec& sips, Checker& checker) {
  const bool fits = (sips.w == 0 && sips.h == 0) || std::int64_t{sips.w} * sips.h == sips.count;
  checker.require(fits, {"system.sips.w", "system.sips.h", "system.sips.count"},
                  fmt::format("w x h is {} x {}, expected {} in all, or 0 x 0 for the squarest grid", sips.w,
                              sips.h, counted(sips.count, "package")));
  checker.require(sips.topology != SipTopology::ring_1d_unidir || sips.link.receive == Time{0},
                  {"system.sips.link.receive_ns", "system.sips.topology"},
                  "has no effect on a one-way ring: no port both sends and receives");
}

void check_cubes(const MachineSpec& spec, Checker& checker) {
  const ExtentSpec& mesh = spec.sip.cube_mesh;
  checker.require(spec.cubes_per_sip() <= kMaxCubes, {"sip.cube_mesh.w", "sip.cube_mesh.h"},
                  fmt::format("w x h is {} x {}, expected at most {} cubes", mesh.w, mesh.h, kMaxCubes));
}

void check_pes(const MachineSpec& spec, Checker& checker) {
  if (spec.cube.floorplan.given()) return;
  const PeLayoutSpec& layout = spec.cube.pe_layout;
  const std::set<Corner> distinct{layout.corners.begin(), layout.corners.end()};
  const std::string corners = "cube.pe_layout.corners";
  checker.require(!distinct.empty(), {corners}, "found an empty list, expected at least one corner");
  checker.require(distinct.size() == layout.corners.size(), {corners},
                  "found a corner twice, expected distinct ones");
  checker.require(
      spec.pes_per_cube() <= kMaxPes, {"cube.pe_layout.pe_per_corner", corners},
      fmt::format("{} of {}, expected at most {} PEs a cube", counted(layout.corners.size(), "corner"),
                  counted(layout.pe_per_corner, "PE"), kMaxPes));
}

void check_memory(const MachineSpec& spec, Checker& checker) {
  const MemorySpec& memory = spec.cube.memory;
  checker.require(memory.tcm_scheduler < memory.tcm,
                  {"cube.memory.tcm_scheduler_bytes", "cube.memory.tcm_bytes"},
                  fmt::format("found {}, expected less than tcm_bytes ({})", to_string(memory.tcm_scheduler),
                              to_string(memory.tcm)));
  constexpr int kMostPlanned = 1024;  // more PEs have an error of their own
  if (spec.shares_hbm() || spec.pes_per_cube() > kMostPlanned) return;
  checker.require(memory.hbm_per_pe * spec.pes_per_cube() <= kMaxHbm,
                  {"cube.memory.hbm_bytes_per_pe", "cube.pe_layout", "cube.floorplan"},
                  fmt::format("found {} for each of {} PEs, expected at most {} a cube",
                              to_string(memory.hbm_per_pe), spec.pes_per_cube(), to_string(kMaxHbm)));
}

bool is_word(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void check_parts(const PartsSpec& parts, const std::string& key, Checker& checker) {
  for (const auto& [name, part] : parts) {
    checker.require(
        !name.empty() && is_word(name), {key},
        fmt::format("'{}' is no name for a part, expected letters, digits and _", printable(name)));
    checker.require(!part.model.impl.empty(), {join_key(key, printable(name))},
                    "it has no model, expected e.g. model: {impl: my.part}");
  }
}

void check_software(const SoftwareSpec& software, Checker& checker) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < software.calls.size(); ++i) {
    const std::string key = fmt::format("software.calls.{}.collective", i);
    const std::string& name = software.calls[i].collective;
    checker.require(!name.empty(), {key}, "not given, expected the name of a collective, as all_gather");
    checker.require(names.insert(name).second, {key}, fmt::format("a second entry for {}", name));
  }
}

// Its rate, its frames and its ports.
void check_chip_link(const ChipLinkSpec& link, const std::string& key, Checker& checker) {
  constexpr double kLeast = 1e-3;
  constexpr double kMost = 1e9;
  const double rate = link.bandwidth.gbs() * link.channels * link.efficiency;
  checker.require(
      rate >= kLeast && rate <= kMost, {key + ".bw_gbs", key + ".channels", key + ".efficiency"},
      fmt::format("bw_gbs x channels x efficiency is {:g} GB/s, expected {:g} to {:g}", rate, kLeast, kMost));
  const bool payload = link.frame.payload > 0_B;
  const bool overhead = link.frame.overhead > 0_B;
  checker.require(payload || !overhead, {key + ".frame.overhead_bytes", key + ".frame"},
                  "has no effect without payload_bytes");
  checker.require(overhead || !payload, {key + ".frame.payload_bytes", key + ".frame"},
                  "has no effect without overhead_bytes");
  checker.require(link.store_and_forward || link.receive == Time{0},
                  {key + ".receive_ns", key + ".store_and_forward"},
                  "has no effect without store_and_forward");
  checker.require(
      link.receive <= link.packet, {key + ".receive_ns", key + ".packet_ns"},
      fmt::format("receive_ns is {}, more than packet_ns, {}: a port would receive more slowly than "
                  "the other one sends",
                  kbsim::to_string(link.receive), kbsim::to_string(link.packet)));
}

// Rings on which a route goes over two wires or more: packets with slots there can wait in a circle.
bool has_rings(const SipsSpec& sips) {
  using enum SipTopology;
  constexpr int kBothWays = 4;
  constexpr int kOneWay = 3;
  if (sips.topology == ring_1d) return sips.count >= kBothWays;
  if (sips.topology == ring_1d_unidir) return sips.count >= kOneWay;
  if (sips.topology != torus_2d && sips.topology != mesh_2d) return false;
  return std::max(sips.rows(), sips.count / sips.rows()) >= kBothWays;
}

void check_slots(const SipsSpec& sips, Checker& checker) {
  const bool rings = has_rings(sips);
  const bool slots = sips.link.has_slots();
  const std::string bubble = "system.sips.bubble";
  const std::string credits = "system.sips.link.credits";
  checker.require(slots || !sips.bubble, {bubble, credits}, "has no effect without system.sips.link.credits");
  checker.require(rings || !sips.bubble, {bubble},
                  "has no effect: no route goes over two wires of a ring of packages");
  checker.require(!rings || !slots || sips.bubble, {credits, bubble},
                  "packets that hold a slot could wait for one another round a ring of packages, expected "
                  "system.sips.bubble: true beside it");
  checker.require(!sips.bubble || sips.link.credits != 1, {credits, bubble},
                  "found 1, expected at least 2: with a bubble two must be free");
}

}  // namespace

void check(const MachineSpec& spec, Checker checker) {
  check_chip_link(spec.system.sips.link, "system.sips.link", checker);
  check_chip_link(spec.sip.ucie_link, "sip.ucie_link", checker);
  for (std::size_t i = 0; i < spec.system.sips.links.size(); ++i)
    check_chip_link(spec.system.sips.links[i], fmt::format("system.sips.links.{}", i), checker);
  check_slots(spec.system.sips, checker);
  check_sips(spec.system.sips, checker);
  check_sip_links(spec.system.sips, checker);
  check_cubes(spec, checker);
  check_pes(spec, checker);
  check_floor_plan(spec, checker);
  check_memory(spec, checker);
  check_parts(spec.sip.io.parts, "sip.io.parts", checker);
  check_parts(spec.cube.parts, "cube.parts", checker);
  check_parts(spec.pe.parts, "pe.parts", checker);
  check_software(spec.software, checker);
}

}  // namespace kbsim::config
