#pragma once

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"

namespace kbsim::hw {

/// Passes packets on, `Spec::overhead` later, pipelined; its switch or, without one, its links do the rest.
template <class Spec>
class Forwarder : public Component, public IRepeatable {
 public:
  Forwarder(Fabric& fabric, NodeId id, Spec spec) : Component{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time overhead() const override { return spec_.overhead; }
  [[nodiscard]] bool only_passes_on() const override { return true; }
  /// It keeps no state.
  void visit(RepeatVisitor& /*visitor*/) override {}

 protected:
  [[nodiscard]] const Spec& spec() const { return spec_; }
  /// No message ends here.
  void accept(Packet& packet) override { refuse(*packet.message); }

 private:
  Spec spec_;
};

}  // namespace kbsim::hw
