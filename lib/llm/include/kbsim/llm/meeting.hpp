#pragma once

#include <functional>
#include <memory>

#include "kbsim/sim/event.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::inference {

/// A point in the programs of all ranks that they pass together, at no cost in simulated time.
class Meeting {
 public:
  Meeting(Simulation& sim, int ranks) : sim_{sim}, ranks_{ranks}, gate_{fresh()} {}

  /// Goes on when all ranks have come here; the last one calls its `last` before any goes on.
  [[nodiscard]] Task<> join(std::function<void()> last = {});

 private:
  [[nodiscard]] std::shared_ptr<Event> fresh() const {
    return std::make_shared<Event>(sim_, "all ranks of the model");
  }

  Simulation& sim_;
  int ranks_;
  int arrived_ = 0;
  std::shared_ptr<Event> gate_;
};

}  // namespace kbsim::inference
