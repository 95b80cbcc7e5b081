#pragma once

#include <memory>

#include "kbsim/hw/fabric/credits.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

namespace kbsim::hw {

/// A component whose switch decides which packets leave when. Without one, each link serves packets in the
/// order in which their heads arrive (an output-queued switch without limit).
class ISwitched {
 public:
  virtual ~ISwitched() = default;

  /// Called once, when all components are attached.
  [[nodiscard]] virtual std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) = 0;
  /// The queues at its input ports if they are finite: senders then need credits.
  [[nodiscard]] virtual const InputQueues* input_queues() const { return nullptr; }
};

class Component;

/// Its queues at input ports; nullptr if they have no limit.
[[nodiscard]] const InputQueues* input_queues(const Component& component);

}  // namespace kbsim::hw
