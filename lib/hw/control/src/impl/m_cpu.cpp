#include "../fan_out.hpp"

namespace kbsim::hw {
namespace {

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
    if (std::holds_alternative<MapPages>(target.action)) return pe.mmu;
    return std::holds_alternative<MoveBytes>(target.action) ? pe.dma : pe.ipcq;
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

}  // namespace

KBSIM_COMPONENT("builtin.m_cpu", NodeKind::m_cpu, MCpu, MCpuSpec, "fans orders out to the PEs of its cube");

}  // namespace kbsim::hw
