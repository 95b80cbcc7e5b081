#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"

#include "i_link_claim.hpp"

namespace kbsim::hw {

class BurstSchedule;
struct Reservations;

/// All claims on a fabric's links: of reads and of bursts. The links can't be read before a claim ends.
class Claims {
 public:
  Claims(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// The holder of the link's claim; nullptr: none.
  [[nodiscard]] ILinkClaim* claim(const LiveLink& link) const;
  /// Sets the claim of the link; nullptr: none. Its holder observes all packets that cross it.
  void set_claim(LiveLink& link, ILinkClaim* holder);
  /// True if no packet is on its way over the link, and none will be without first arriving at its node.
  /// False for links with a switch, credits or a claim.
  [[nodiscard]] bool is_free(LiveLink& link);

  void add(ILinkClaim& claim) { reads_.push_back(&claim); }
  void drop(ILinkClaim& claim) { std::erase(reads_, &claim); }
  /// Ends the claims of reads: memories and DMAs then have the state of this instant.
  void end() {
    while (!reads_.empty()) reads_.back()->flush();
  }

  /// Returns the index of these bursts, for drop_burst().
  [[nodiscard]] std::size_t add(BurstSchedule& bursts) {
    bursts_.push_back(&bursts);
    return bursts_.size() - 1;
  }
  void drop_burst(std::size_t index);
  void end_bursts();

  /// Packets of a burst that were to arrive by this link are revoked; notify() ends such bursts.
  void note_revoked(LiveLink& ingress) { revoked_.push_back(&ingress); }
  [[nodiscard]] bool must_notify() const { return !revoked_.empty(); }
  void notify();

 private:
  [[nodiscard]] bool none_on(LiveLink& link);

  Reservations& all_;
  Fabric& fabric_;
  std::vector<ILinkClaim*> reads_;
  std::vector<BurstSchedule*> bursts_;
  std::vector<LiveLink*> revoked_;
};

}  // namespace kbsim::hw
