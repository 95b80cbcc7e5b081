#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

class IPlainMemory;

/// A component that serves packets whose arrival it need not observe.
class ILateReceiver {
 public:
  /// Serves packets of a message before its last. May be called at any time before the next packet is
  /// accepted.
  virtual void accept_unobserved(const UnobservedPackets& packets) = 0;
  /// Accepts a packet that ends here and arrives now, in the phase in which it is sent, not with the next
  /// batch of this time. False: it can't. Only for packets whose taking no other component could see before
  /// that batch.
  [[nodiscard]] virtual bool accept_at_once(Packet& /*packet*/) { return false; }

 protected:
  ~ILateReceiver() = default;
};

/// A component's promises about itself, so that packets can be reserved ahead up to it and through it
/// (IShortcut). The default promises nothing: each of its packets is an event. A promise that isn't kept
/// gives other times than --exact-packets.
struct ServiceContract {
  /// How it handles the packets of a message before its last.
  enum class Packets : std::uint8_t {
    observed,  // one by one
    counted,   // it only counts them
    served,    // as ILateReceiver does
  };
  Packets packets = Packets::observed;
  ILateReceiver* receiver = nullptr;  // not null if `served`
  IPlainMemory* memory = nullptr;     // its ports are Lanes that serve requests in order of arrival
  bool only_answers = false;          // it sends only when it takes packets
};

}  // namespace kbsim::hw
