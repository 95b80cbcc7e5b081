#pragma once

#include <memory>

#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

namespace kbsim::hw {

/// The switch of a node that has no finite queues and sends to routers that switch worms. Each link has a
/// queue without limit for each class of traffic, in the order in which worms arrived. The first worm that
/// has a flit here goes on, in a channel that is its own until its last flit has left: the next free one with
/// room, in turn.
[[nodiscard]] std::unique_ptr<ISwitch> make_worm_source(SwitchPorts ports, const ArbiterModel& arbiter);

}  // namespace kbsim::hw
