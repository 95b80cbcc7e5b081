#pragma once

#include <cstddef>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/sim/border.hpp"

namespace kbsim::hw {

/// A packet on its way over a link to another process. It goes on as a packet of the receiver's fabric.
struct CrossingPacket {
  Packet packet;
  LiveLink* link;
};

/// Takes packets from one process's fabric to another's.
class FabricBorder final : public Border<CrossingPacket> {
 public:
  FabricBorder(Windows& windows, std::size_t from, std::size_t to, Fabric& receiver)
      : Border{windows, from, to}, receiver_{receiver} {}

 private:
  void arrives(CrossingPacket& one) override { receiver_.come_over(one.packet, *one.link); }
  Fabric& receiver_;
};

}  // namespace kbsim::hw
