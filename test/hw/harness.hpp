#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/tl.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw::test {

/// A small machine to change at will: one package of two cubes, two PEs a cube.
[[nodiscard]] config::MachineSpec small_machine();

/// The address of `offset` in the PE's HBM slice; all tests' tensors lie in HBM slices, from offset 0.
[[nodiscard]] topology::PhysAddr in_hbm(const config::MachineSpec& spec, PeCoord pe, std::int64_t offset = 0);

/// A live machine, and the host that drives it.
class Rig {
 public:
  explicit Rig(config::MachineSpec spec, const SimulationOptions& options = {},
               oplog::Keep keep = oplog::Keep::operations);
  /// Packages in processes of their own, if they can be.
  struct Divided {};
  Rig(config::MachineSpec spec, const SimulationOptions& options, Divided divided,
      oplog::Keep keep = oplog::Keep::operations);
  ~Rig() { sim.clear(); }

  /// Runs a host program until nothing is left to do.
  void run(Task<> program, std::string name = "host program");

  /// Orders of the host, each a message to one package; targets sorted by (cube, pe).
  [[nodiscard]] Task<Activity> order(std::vector<ControlTarget> targets, int rank = 0);
  [[nodiscard]] Task<Activity> launch(std::vector<PeCoord> pes, KernelCall kernel, int rank = 0);
  /// Maps `bytes` at `va` of a PE to a physical address.
  [[nodiscard]] Task<> map(PeCoord pe, std::uint64_t va, topology::PhysAddr pa, Bytes bytes);
  /// One queue each way between two PEs: `from` calls it "to", `to` calls it "from". Rings lie in the PEs'
  /// own part of that memory.
  struct Rings {
    int slots = 4;
    Bytes slot_size = 4_KiB;
    Bytes credit = 16_B;
    topology::Region memory = topology::Region::ipcq;
    std::optional<Time> sender_polls = {};
    std::optional<Time> receiver_polls = {};
    Bytes vc_chunk = {};
    bool direct_credit = false;
  };
  [[nodiscard]] Task<> connect(PeCoord from, PeCoord to, Rings rings);
  [[nodiscard]] Task<> connect(PeCoord from, PeCoord to, int slots, Bytes slot_size, Bytes credit = 16_B) {
    return connect(from, to, {.slots = slots, .slot_size = slot_size, .credit = credit});
  }
  /// Where such a ring of a PE begins.
  [[nodiscard]] topology::PhysAddr ring(PeCoord at, topology::Region memory) const;

  [[nodiscard]] const topology::PeNodes& pe(PeCoord at) const { return graph.pe(at); }
  [[nodiscard]] NodeId hbm(PeCoord at) const {
    const std::vector<NodeId>& all = graph.cube(at.sip, at.cube).hbm;
    return all[static_cast<std::size_t>(at.pe) % all.size()];
  }

  std::shared_ptr<const config::MachineSpec> spec;
  Simulation sim;
  oplog::OpLog log;
  topology::Graph graph;
  std::unique_ptr<Machine> machine;
};

/// Runs `kernel` on one PE of a fresh connection between host and machine, with these bytes of its own HBM
/// slice mapped at va 0x1000.
inline constexpr std::uint64_t kVa = 0x1000;
[[nodiscard]] Task<> map_and_launch(Rig* rig, PeCoord pe, topology::PhysAddr memory, KernelCall kernel);

}  // namespace kbsim::hw::test
