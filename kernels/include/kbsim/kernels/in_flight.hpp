#pragma once

#include <utility>
#include <vector>

#include "kbsim/tl/tl.hpp"

namespace kbsim::collective {

/// Sends and stores in flight. A step ends when the operations of the step before it are done. So a PE holds
/// at most the tiles of two steps, however slow its neighbour is.
class InFlight {
 public:
  void add(Pending<void> operation) { this_step_.push_back(std::move(operation)); }
  [[nodiscard]] Task<> end_step();
  /// Waits until all are done.
  [[nodiscard]] Task<> done();

 private:
  std::vector<Pending<void>> step_before_;
  std::vector<Pending<void>> this_step_;
};

}  // namespace kbsim::collective
