// IO_CPU and M_CPU: an order of the host goes to a package, to its cubes, to their PEs.
#include "fan_out.hpp"

namespace kbsim::hw {
namespace {

struct IoCpuSpec {
  Time overhead = 10_ns;
  static void describe(FieldList<IoCpuSpec>& f) {
    f.add("overhead_ns", &IoCpuSpec::overhead, kNotNegative, "pipelined delay of each message that it sends");
  }
};

/// Sends each cube's part of an order to the cube's M_CPU.
class IoCpu : public FanOut {
 public:
  IoCpu(Fabric& fabric, NodeId id, IoCpuSpec spec) : FanOut{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time overhead() const override { return spec_.overhead; }

 private:
  [[nodiscard]] bool first() const override { return true; }
  [[nodiscard]] std::vector<Part> split(const Control& order) const override {
    std::vector<Part> parts;
    const auto& targets = order.job->targets;
    for (std::size_t i = order.first; i < order.last; ++i) {
      const PeCoord pe = targets[i].pe;
      const bool new_cube = parts.empty() || targets[i - 1].pe.cube != pe.cube;
      if (new_cube)
        parts.push_back({.to = fabric().graph().cube(pe.sip, pe.cube).m_cpu, .first = i, .last = i});
      parts.back().last = i + 1;
    }
    return parts;
  }

  IoCpuSpec spec_;
};
KBSIM_COMPONENT("builtin.io_cpu", NodeKind::io_cpu, IoCpu, IoCpuSpec, "fans orders out to the cubes");

struct MCpuSpec {
  Time overhead = 10_ns;
  static void describe(FieldList<MCpuSpec>& f) {
    f.add("overhead_ns", &MCpuSpec::overhead, kNotNegative, "pipelined delay of each message that it sends");
  }
};

/// Sends each PE's part of an order to the unit of the PE that carries it out.
class MCpu : public FanOut {
 public:
  MCpu(Fabric& fabric, NodeId id, MCpuSpec spec) : FanOut{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time overhead() const override { return spec_.overhead; }

 private:
  [[nodiscard]] NodeId unit(const ControlTarget& target) const {
    const topology::PeNodes& pe = fabric().graph().pe(target.pe);
    if (std::holds_alternative<Launch>(target.action)) return pe.cpu;
    return std::holds_alternative<MapPages>(target.action) ? pe.mmu : pe.ipcq;
  }
  [[nodiscard]] std::vector<Part> split(const Control& order) const override {
    std::vector<Part> parts;
    for (std::size_t i = order.first; i < order.last; ++i) {
      parts.push_back({.to = unit(order.job->targets[i]), .first = i, .last = i + 1});
    }
    return parts;
  }

  MCpuSpec spec_;
};
KBSIM_COMPONENT("builtin.m_cpu", NodeKind::m_cpu, MCpu, MCpuSpec, "fans orders out to the PEs of its cube");

}  // namespace
}  // namespace kbsim::hw
