#pragma once

#include <optional>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"

namespace kbsim::hw {

struct LiveLink;
struct Packet;

/// Somebody who knows ahead what will cross some links, and hasn't told them: as long as nobody else comes.
class ILinkHold {
 public:
  virtual ~ILinkHold();

  /// A packet that it doesn't know is at the link's node, now, and crosses the link next, behind that
  /// overhead. Gives when it does, if none of those that are known waits for it. Else from now on it holds no
  /// links: they have served what came before that packet, and the rest comes by events.
  [[nodiscard]] virtual std::optional<Lane::Slot> give_way(LiveLink& link, const Packet& packet,
                                                           Time overhead) = 0;
  /// Likewise, because somebody looks at them.
  virtual void settle() = 0;
};

}  // namespace kbsim::hw
