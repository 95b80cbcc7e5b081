#pragma once

#include <memory>

#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

namespace kbsim::hw {

/// A FIFO for each virtual channel of each input port. Only the first of a FIFO can go, when a channel ahead
/// has room for it; the next follows when its tail has left. Each link has an arbiter, which decides among
/// the FIFOs that have something for it; FIFOs of one port may send to several links at once.
[[nodiscard]] std::unique_ptr<ISwitch> make_vc_switch(SwitchPorts ports, const ArbiterModel& arbiter);

}  // namespace kbsim::hw
