#pragma once

#include <optional>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"

namespace kbsim::hw {

struct LiveLink;
struct Packet;

/// Holds a claim on some links: it knows which packets will cross them, and has made no reservations there.
/// The claim lasts until another packet arrives.
class ILinkClaim {
 public:
  /// A packet unknown to the holder is at the node of the link now, and crosses the link next, after that
  /// overhead. Returns its slot if no known packet waits for it. Else the claim ends: the links have served
  /// all that arrived before that packet, and the rest arrives by events.
  [[nodiscard]] virtual std::optional<Lane::Slot> yield(LiveLink& link, const Packet& packet,
                                                        Time overhead) = 0;
  /// Ends the claim likewise, because the links are about to be read.
  virtual void flush() = 0;

 protected:
  ~ILinkClaim() = default;
};

}  // namespace kbsim::hw
