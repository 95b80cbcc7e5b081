#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/partition.hpp"
#include "kbsim/hw/window_loads.hpp"
#include "kbsim/hw/work_clock.hpp"
#include "kbsim/sim/event_watch.hpp"

namespace kbsim::hw {

/// Upper bound of a run's speedup by threads, for each of several partitions: events, and the time that they
/// took here, by window and process. It assumes that processes interact over links alone. Other state that a
/// host program and the machine share would have to become messages.
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
  /// Bounds of a finished run, in the order of the partitions.
  [[nodiscard]] const std::vector<Bound>& close();

 private:
  std::vector<Bound> bounds_;
  WorkClock clock_;
};

}  // namespace kbsim::hw
