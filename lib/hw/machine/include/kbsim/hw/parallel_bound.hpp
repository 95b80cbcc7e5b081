#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/partition.hpp"
#include "kbsim/hw/window_loads.hpp"
#include "kbsim/hw/work_clock.hpp"
#include "kbsim/sim/event_watch.hpp"

namespace kbsim::hw {

/// What threads could give a run at most, for each of some partitions: events, and the time that they took
/// here, by window and process. It assumes that processes hear of one another over links alone: what a host
/// program and the machine share beside them would have to become messages.
class ParallelBound final : public EventWatch {
 public:
  struct Bound {
    Partition partition;
    WindowLoads events;
    WindowLoads work;               // in nanoseconds, without what watching takes
    std::uint64_t host_events = 0;  // of the process that the host is in
    std::uint64_t host_work = 0;
  };

  explicit ParallelBound(std::vector<Partition> partitions);

  void ran(Time when, PartId part) override;
  /// In the order of the partitions, of a run that has ended.
  [[nodiscard]] const std::vector<Bound>& close();

 private:
  std::vector<Bound> bounds_;
  WorkClock clock_;
};

}  // namespace kbsim::hw
