#pragma once

#include <cstddef>
#include <vector>

#include "i_link_claim.hpp"

namespace kbsim::hw {

class PacedRuns;

/// The claims on a fabric's links that can't be read while they last: of reads, and of bursts.
class Claims {
 public:
  void add(ILinkClaim& claim) { reads_.push_back(&claim); }
  void drop(ILinkClaim& claim) { std::erase(reads_, &claim); }
  /// Ends the claims of reads: memories and DMAs have done what they have done by now.
  void end() {
    while (!reads_.empty()) reads_.back()->flush();
  }

  /// Returns the burst's place in the list.
  [[nodiscard]] std::size_t add(PacedRuns& bursts) {
    bursts_.push_back(&bursts);
    return bursts_.size() - 1;
  }
  void drop_burst(std::size_t place);
  void end_bursts();

 private:
  std::vector<ILinkClaim*> reads_;
  std::vector<PacedRuns*> bursts_;
};

}  // namespace kbsim::hw
