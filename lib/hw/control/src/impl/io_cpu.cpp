#include "../fan_out.hpp"

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

}  // namespace

KBSIM_COMPONENT("builtin.io_cpu", NodeKind::io_cpu, IoCpu, IoCpuSpec, "fans orders out to the cubes");

}  // namespace kbsim::hw
