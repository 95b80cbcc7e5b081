#pragma once

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// Where routes end: the fabric's side of a component. Called when the component takes its packets of this
/// time.
class PacketReceiver {
 public:
  virtual ~PacketReceiver() = default;

 protected:
  /// A packet that ends here has arrived: its head if the message is cut_through (see Memory), else its tail.
  virtual void accept(Packet& packet) = 0;
};

}  // namespace kbsim::hw
