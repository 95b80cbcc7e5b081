#pragma once

#include <cstdint>

namespace kbsim::hw {

struct Packet;

/// Moves packets from the input ports of a node to its links: decides where they wait, and which go when. It
/// sees its node only through SwitchPorts. ISwitched::make_switch() makes it.
class ISwitch {
 public:
  ISwitch() = default;
  virtual ~ISwitch() = default;
  ISwitch(const ISwitch&) = delete;
  ISwitch& operator=(const ISwitch&) = delete;

  /// A packet has arrived; it may leave from packet.ready on.
  virtual void push(Packet& packet) = 0;
  /// Sends what can go now. Called late, after all packets of this time are pushed: when some were pushed,
  /// when credits come back, and at the times given to SwitchPorts::wake().
  virtual void allocate() = 0;
  /// A signal of the switch at the far end of this output's link is here: see SwitchPorts::signal(). Called
  /// late, before allocate(). Signals of one time come by output, then in their order. False: the switch
  /// takes no signals, which is a ConfigError with both nodes.
  [[nodiscard]] virtual bool take_signal(std::uint32_t /*output*/, std::uint64_t /*value*/) { return false; }
  /// True if it gives SwitchPorts::send() all that a packet has waited for, except links and room.
  [[nodiscard]] virtual bool explains() const { return false; }
};

}  // namespace kbsim::hw
