#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"
#include "kbsim/topology/sip_grid.hpp"

namespace kbsim::topology {

/// A machine of given counts; everything else as by default.
struct Counts {
  int sips = 1;
  config::SipTopology joined = config::SipTopology::ring_1d;
  config::ExtentSpec cubes{.w = 1, .h = 1};
  config::ExtentSpec noc{.w = 1, .h = 1};
  std::vector<config::Corner> corners{config::Corner::NW};
  int pe_per_corner = 1;
};

inline config::MachineSpec machine(const Counts& counts) {
  config::MachineSpec spec;
  spec.system.sips.count = counts.sips;
  spec.system.sips.topology = counts.joined;
  spec.sip.cube_mesh = counts.cubes;
  spec.cube.noc.w = counts.noc.w;
  spec.cube.noc.h = counts.noc.h;
  spec.cube.pe_layout = {.corners = counts.corners, .pe_per_corner = counts.pe_per_corner};
  return spec;
}

inline Graph graph_of(const config::MachineSpec& spec) {
  return compile(std::make_shared<const config::MachineSpec>(spec));
}

/// Seeded choices, the same on every platform.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_{seed} {}

  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
};

/// A small machine of any shape: 1 to 9 packages in any topology, rectangular meshes, any corners.
inline config::MachineSpec random_machine(unsigned seed) {
  Dice dice{seed};
  Counts counts{.sips = dice.between(1, 9),
                .joined = dice.one_of<config::SipTopology>(
                    {config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                     config::SipTopology::mesh_2d, config::SipTopology::mesh_2d_no_wrap}),
                .cubes = {.w = dice.between(1, 4), .h = dice.between(1, 4)},
                .noc = {.w = dice.between(1, 5), .h = dice.between(1, 5)},
                .corners = {config::Corner::SE, config::Corner::NE, config::Corner::NW, config::Corner::SW},
                .pe_per_corner = dice.between(1, 4)};
  std::rotate(counts.corners.begin(), counts.corners.begin() + dice.between(0, 3), counts.corners.end());
  counts.corners.resize(static_cast<std::size_t>(dice.between(1, 4)));
  config::MachineSpec spec = machine(counts);
  spec.sip.cube_size = {.w_mm = 0.1 * dice.between(30, 150), .h_mm = 0.1 * dice.between(30, 150)};
  spec.system.ns_per_mm = 0.001 * dice.between(0, 20);
  return spec;
}

/// Seeds of random machines, printed where a check fails.
inline constexpr unsigned kMachines = 60;

/// The kinds of nodes between which messages go.
inline bool is_end(NodeKind kind) {
  switch (kind) {
    case NodeKind::host:
    case NodeKind::io_cpu:
    case NodeKind::m_cpu:
    case NodeKind::hbm_ctrl:
    case NodeKind::sram:
    case NodeKind::pe_cpu:
    case NodeKind::pe_dma:
    case NodeKind::pe_tcm:
    case NodeKind::pe_mmu:
    case NodeKind::pe_ipcq: return true;
    default: return false;
  }
}

inline std::vector<NodeId> ends(const Graph& graph) {
  std::vector<NodeId> found;
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    if (is_end(graph.nodes()[i].kind)) found.emplace_back(i);
  }
  return found;
}

/// The names of a path's nodes: "a > b > c".
inline std::string path_names(const Graph& graph, NodeId from, NodeId to) {
  std::string text;
  for (const NodeId id : path(graph, from, to)) {
    text += (text.empty() ? "" : " > ") + graph.node(id).name;
  }
  return text;
}

}  // namespace kbsim::topology
