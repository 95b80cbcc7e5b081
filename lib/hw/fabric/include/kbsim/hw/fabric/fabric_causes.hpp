#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {

/// Why packets are where they are, while somebody wants to know.
class FabricCauses {
 public:
  FabricCauses(Causes& causes, std::size_t links) : causes_{&causes}, holders_(links) {}

  [[nodiscard]] Causes& causes() const { return *causes_; }

  /// The next packet that is injected for these times comes from a server that served it so.
  void slot(ServerCauses slot) { slot_ = std::move(slot); }
  /// Why the packet that was injected last has left its source.
  [[nodiscard]] const Cause& left() const { return left_; }

  void inject(Packet& packet);
  /// The packet gets its next link: `ready` is its head behind the node's `overhead`.
  void serve(Packet& packet, LinkId link, NodeId node, Time overhead, const Lane::Slot& slot, Time service);
  /// It is at the end of that link, as the times of the packet say: why its head is, or its tail.
  [[nodiscard]] const Cause& head(const Packet& packet) { return there(of(packet).head, packet.head); }
  [[nodiscard]] const Cause& tail(const Packet& packet) { return there(of(packet).tail, packet.tail); }
  /// Its message goes on with what its head, or its tail, has brought.
  void arrived(Packet& packet);

 private:
  // A cause, and the link that still has to be crossed behind it.
  struct OnTheWay {
    Cause cause;
    LinkId over;
  };
  struct OfPacket {
    OnTheWay head;
    OnTheWay tail;
  };
  [[nodiscard]] OfPacket& of(const Packet& packet) { return packets_[packet.causes]; }
  [[nodiscard]] const Cause& there(OnTheWay& what, Time at);
  [[nodiscard]] Cause passed(const OnTheWay& what, NodeId node, Time at);

  Causes* causes_;
  std::vector<OfPacket> packets_;
  std::vector<std::uint32_t> free_;
  std::vector<Cause> holders_;  // why links are free, when they are
  ServerCauses slot_;
  Cause left_;
};

}  // namespace kbsim::hw
