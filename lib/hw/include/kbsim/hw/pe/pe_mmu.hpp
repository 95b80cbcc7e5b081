#pragma once

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

struct PeMmuSpec {
  Time overhead = 1_ns;
  static void describe(auto& f) {
    f.add("overhead_ns", &PeMmuSpec::overhead, kNotNegative, "of one translation, before a transfer starts");
  }
};

/// A PE's translations from virtual to physical addresses; MmuMap messages change them.
class PeMmu : public Component {
 public:
  PeMmu(Fabric& fabric, NodeId id, PeMmuSpec spec) : Component{fabric, id}, spec_{spec} {}

  [[nodiscard]] Time latency() const { return spec_.overhead; }
  /// The memory behind [va, va + bytes); KernelFault naming the first unmapped address and the nearest
  /// mapping.
  [[nodiscard]] std::vector<topology::PhysRange> translate(std::uint64_t va, Bytes bytes) const;

 private:
  void accept(MessagePtr message) override;

  PeMmuSpec spec_;
  topology::AddressMap map_;
};

}  // namespace kbsim::hw
