#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/pe/pe_units.hpp"
#include "kbsim/oplog/knowledge.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

/// A kernel's waits for other kernels of its launch: at barriers, and for signals.
class PeerWaits {
 public:
  /// `agent` is the kernel's thread in the race check, if races are looked for.
  PeerWaits(const PeUnits& units, const LaunchId& launch, const oplog::AgentPtr& agent)
      : units_{units}, launch_{launch}, agent_{agent} {}

  /// `pending` waits for another kernel of the launch.
  void add(const PendingPtr& pending);
  /// Others of the launch were given up: waits for them, now or later, end with LaunchAborted.
  void give_up();

  /// The number of the kernel's next barrier, from 1.
  [[nodiscard]] std::uint32_t next_barrier() { return ++barriers_; }
  /// The kernel asks for the barrier of that number. False if the wait ends at once: others are given up.
  [[nodiscard]] bool ask(const PendingPtr& barrier);
  /// It is the turn of the oldest barrier asked for and not reached.
  void reach(Time at) { units_.barriers->reached(at, ++reached_); }
  /// All PEs of the launch have reached this barrier.
  void passed(std::uint32_t number);
  /// Adds the barriers that it has reached and not passed.
  void add_barriers(std::vector<std::uint32_t>& numbers) const;
  /// It has asked for this barrier, after a command that waits for room in the TCM.
  [[nodiscard]] bool stalled_before(std::uint32_t barrier) const {
    return barrier > reached_ && in_barrier_.contains(barrier);
  }

 private:
  const PeUnits& units_;
  const LaunchId& launch_;
  const oplog::AgentPtr& agent_;
  std::uint32_t barriers_ = 0;                      // so far
  std::uint32_t reached_ = 0;                       // of these, issued
  std::map<std::uint32_t, PendingPtr> in_barrier_;  // by number
  std::vector<std::weak_ptr<PendingState>> needing_others_;
  bool given_up_ = false;
};

}  // namespace kbsim::hw
