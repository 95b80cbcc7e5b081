#pragma once

#include <cstddef>
#include <vector>

#include "i_link_claim.hpp"

namespace kbsim::hw {

class BurstSchedule;

/// All claims on a fabric's links: of reads and of bursts. The links can't be read before a claim ends.
class Claims {
 public:
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

 private:
  std::vector<ILinkClaim*> reads_;
  std::vector<BurstSchedule*> bursts_;
};

}  // namespace kbsim::hw
