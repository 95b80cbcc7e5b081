#include "probe_cases.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::host {
namespace {

using config::MachineSpec;
using topology::PhysAddr;

PhysAddr slice(const MachineSpec& machine, PeCoord owner) {
  return PhysAddr::pe_hbm(owner, 0_B, machine.hbm_per_pe());
}

int last_pe(const MachineSpec& machine) { return machine.pes_per_cube() - 1; }

// East of cube 0, or south of it in a mesh of one column.
int neighbour_cube(const MachineSpec&) { return 1; }
std::string neighbour_direction(const MachineSpec& machine) {
  return machine.sip.cube_mesh.w > 1 ? "E" : "S";
}

// Loads by PE `index` of cube 0 from the slice that `owner` gives.
auto loads(PeCoord (*owner)(const MachineSpec&, int index)) {
  return [owner](const MachineSpec& machine, int index) -> std::optional<Ends> {
    const PeCoord from = owner(machine, index);
    const bool exists = from.sip < machine.system.sips.count && from.cube < machine.cubes_per_sip();
    if (!exists) return std::nullopt;
    return Ends{.pe = {0, 0, index}, .memory = slice(machine, from), .peer = {}, .direction = {}};
  };
}

std::optional<Ends> host_to_slice(const MachineSpec& machine, int index) {
  return Ends{.pe = {}, .memory = slice(machine, {0, 0, index}), .peer = {}, .direction = {}};
}

std::optional<Ends> own_tcm(const MachineSpec&, int index) {
  const PeCoord pe{0, 0, index};
  return Ends{.pe = pe, .memory = PhysAddr::pe_tcm(pe, 0_B), .peer = {}, .direction = {}};
}

std::optional<Ends> cube_sram(const MachineSpec&, int index) {
  return Ends{.pe = {0, 0, index}, .memory = PhysAddr::cube_sram(0, 0, 0_B), .peer = {}, .direction = {}};
}

std::optional<Ends> next_cube(const MachineSpec& machine, int index) {
  if (machine.cubes_per_sip() < 2) return std::nullopt;
  return Ends{.pe = {0, 0, index},
              .memory = {},
              .peer = {0, neighbour_cube(machine), index},
              .direction = neighbour_direction(machine)};
}

// East of package 0, or south of it in a grid of one column, or below it in a tree.
std::optional<Ends> next_sip(const MachineSpec& machine, int index) {
  if (machine.system.sips.count < 2) return std::nullopt;
  const bool tree = machine.system.sips.topology == config::SipTopology::tree_binary;
  const bool east = topology::SipGrid{machine.system.sips}.width() > 1;
  return Ends{.pe = {0, 0, index},
              .memory = {},
              .peer = {1, 0, index},
              .direction = tree   ? "global_child_left"
                           : east ? "global_E"
                                  : "global_S"};
}

const std::vector<CaseDefinition>& definitions() {
  static const std::vector<CaseDefinition> all{
      {{"h2d-write", "host to an HBM slice of the first cube"}, Transfer::host_write, "", host_to_slice},
      {{"d2h-read", "an HBM slice of the first cube to the host"}, Transfer::host_read, "", host_to_slice},
      {{"pe-local-hbm", "a PE reads its own HBM slice"},
       Transfer::load,
       "",
       loads([](const MachineSpec&, int index) { return PeCoord{0, 0, index}; })},
      {{"pe-same-cube-hbm", "a PE reads the last slice of its cube"},
       Transfer::load,
       "",
       loads([](const MachineSpec& m, int) { return PeCoord{0, 0, last_pe(m)}; })},
      {{"pe-neighbour-cube-hbm", "a PE reads the neighbouring cube's first slice"},
       Transfer::load,
       "two cubes a package",
       loads([](const MachineSpec& m, int) { return PeCoord{0, neighbour_cube(m), 0}; })},
      {{"pe-far-cube-hbm", "a PE reads the farthest cube's first slice"},
       Transfer::load,
       "",
       loads([](const MachineSpec& m, int) { return PeCoord{0, m.cubes_per_sip() - 1, 0}; })},
      {{"pe-other-sip-hbm", "a PE reads the next package's first slice"},
       Transfer::load,
       "two packages",
       loads([](const MachineSpec&, int) { return PeCoord{1, 0, 0}; })},
      {{"pe-tcm", "a PE's DMA moves within its TCM"}, Transfer::load, "", own_tcm},
      {{"pe-cube-sram", "a PE reads its cube's SRAM"}, Transfer::load, "", cube_sram},
      {{"pe-ipcq-neighbour", "a PE sends to its like in the neighbouring cube"},
       Transfer::send,
       "two cubes a package",
       next_cube},
      {{"pe-ipcq-other-sip", "a PE sends to its like in the next package"},
       Transfer::send,
       "two packages",
       next_sip}};
  return all;
}

}  // namespace

const std::vector<ProbeCase>& probe_cases() {
  static const std::vector<ProbeCase> all = [] {
    std::vector<ProbeCase> cases;
    for (const CaseDefinition& definition : definitions()) cases.push_back(definition.about);
    return cases;
  }();
  return all;
}

const CaseDefinition& case_named(const std::string& name) {
  const auto found =
      std::ranges::find(definitions(), name, [](const CaseDefinition& c) { return c.about.name; });
  if (found != definitions().end()) return *found;
  std::vector<std::string> names;
  for (const ProbeCase& known : probe_cases()) names.push_back(known.name);
  throw UsageError{"unknown probe case '" + name + "'" + name_hint(name, names)};
}

std::optional<std::string> missing_for(const std::string& name, const config::MachineSpec& machine) {
  const CaseDefinition& definition = case_named(name);
  if (definition.ends(machine, 0)) return std::nullopt;
  return "needs " + definition.needs;
}

namespace {

// Where PEs share channels, one message reaches one of them.
Bytes hbm_of_one_path(const config::MachineSpec& machine) {
  const Bytes block = machine.cube.floorplan.hbm.interleave;
  return machine.shares_hbm() && block > 0_B ? std::min(block, machine.hbm_per_pe()) : machine.hbm_per_pe();
}

}  // namespace

Bytes most_bytes(const std::string& name, const config::MachineSpec& machine) {
  const CaseDefinition& definition = case_named(name);
  const config::MemorySpec& memory = machine.cube.memory;
  const Bytes tiles = memory.tcm - memory.tcm_scheduler;
  const Bytes hbm = hbm_of_one_path(machine);
  if (definition.transfer == Transfer::send) return std::min(tiles, machine.hbm_per_pe());
  if (definition.transfer != Transfer::load) return hbm;
  switch (definition.ends(machine, 0)->memory.decode().region) {
    case topology::Region::tcm: return Bytes{tiles.count() / 2};  // tiles that are read are in the TCM, too
    case topology::Region::sram: return std::min(tiles, memory.sram);
    default: return std::min(tiles, hbm);
  }
}

}  // namespace kbsim::host
