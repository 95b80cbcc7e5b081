#pragma once

namespace kbsim::hw {

struct Packet;

/// How packets get from the input ports of a node to its links: where they wait, and which go when. It sees
/// its node through SwitchPorts alone; a component gives it (Component::make_switch).
class ISwitch {
 public:
  ISwitch() = default;
  virtual ~ISwitch() = default;
  ISwitch(const ISwitch&) = delete;
  ISwitch& operator=(const ISwitch&) = delete;

  /// A packet has come, which may leave from packet.ready on.
  virtual void push(Packet& packet) = 0;
  /// Sends what can go now. Called late, once all packets of this time are pushed: whenever some were, when
  /// credits come back, and at the times that SwitchPorts::wake() was given.
  virtual void allocate() = 0;
  /// Whether it tells SwitchPorts::send() all that a packet has waited for, links and room apart.
  [[nodiscard]] virtual bool explains() const { return false; }
};

}  // namespace kbsim::hw
