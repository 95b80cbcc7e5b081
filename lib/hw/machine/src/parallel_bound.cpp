#include "kbsim/hw/parallel_bound.hpp"

#include <utility>

namespace kbsim::hw {

ParallelBound::ParallelBound(std::vector<Partition> partitions) {
  for (Partition& partition : partitions) {
    const WindowLoads none{partition.processes, partition.lookahead};
    bounds_.push_back({.partition = std::move(partition), .events = none, .work = none});
  }
}

void ParallelBound::ran(Time when, PartId part) {
  const auto load = static_cast<std::uint64_t>(clock_.pause().count());
  for (Bound& bound : bounds_) {
    const std::size_t process = bound.partition.process[part];
    bound.events.add(when, process, 1);
    bound.work.add(when, process, load);
    if (process != bound.partition.host) continue;
    ++bound.host_events;
    bound.host_work += load;
  }
  clock_.resume();
}

const std::vector<ParallelBound::Bound>& ParallelBound::close() {
  for (Bound& bound : bounds_) {
    bound.events.close();
    bound.work.close();
  }
  return bounds_;
}

}  // namespace kbsim::hw
