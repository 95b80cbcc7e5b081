#pragma once

#include <utility>
#include <vector>

#include "kbsim/tl/tl.hpp"

namespace kbsim::collective {

/// Sends and stores in flight. A step ends when those of the step before it are done: nobody holds more than
/// what two steps sent, however slow its neighbour is.
class InFlight {
 public:
  void add(Pending<void> operation) { this_step_.push_back(std::move(operation)); }
  [[nodiscard]] Task<> end_step();
  /// All are done.
  [[nodiscard]] Task<> done();

 private:
  std::vector<Pending<void>> step_before_;
  std::vector<Pending<void>> this_step_;
};

}  // namespace kbsim::collective
