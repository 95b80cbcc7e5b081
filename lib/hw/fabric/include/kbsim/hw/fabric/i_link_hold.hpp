#pragma once

#include <optional>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"

namespace kbsim::hw {

struct LiveLink;
struct Packet;

/// The holder of a claim on some links: it knows ahead which packets will cross them, and has not reserved
/// them. The claim lasts until another packet arrives.
class ILinkHold {
 public:
  virtual ~ILinkHold();

  /// A packet unknown to the holder is at the node of the link now, and crosses the link next, after that
  /// overhead. Returns its slot if no known packet waits for it. Else the claim ends: links have served all
  /// that came before that packet, and the rest arrives by events.
  [[nodiscard]] virtual std::optional<Lane::Slot> give_way(LiveLink& link, const Packet& packet,
                                                           Time overhead) = 0;
  /// Ends the claim likewise, because the links are about to be read.
  virtual void settle() = 0;
};

}  // namespace kbsim::hw
