#pragma once

#include <memory>

#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

#include "switch_allocator.hpp"

namespace kbsim::hw {

struct WormSwitchOptions {
  Matching matching = Matching::islip;
  int iterations = 2;
  std::uint32_t input_speedup = 1;
  bool by_output = false;  // a virtual channel of an input port has a FIFO for each output, else one
  Time cycle{};
  Time lookahead{};  // flits are pushed this long before they are ready
};

/// A crossbar after virtual channels. The first flit of a worm asks for a channel ahead, `lookahead` before
/// it can go, when the worm before it has left this channel; then each flit asks for the crossbar. An input
/// port has `input_speedup` inputs, its channels in turn; each input and each output carries a flit at a
/// time. A flit that isn't matched asks again a cycle later, or when what it lacks is free.
[[nodiscard]] std::unique_ptr<ISwitch> make_worm_switch(SwitchPorts ports, const ArbiterModel& arbiter,
                                                        const WormSwitchOptions& options);

}  // namespace kbsim::hw
