#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/sim/event.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

/// Resources with rates, shared by transfers. A transfer's rate is its max-min fair share of its slowest
/// resource. Shares are computed anew, in the late phase, whenever a transfer begins or ends.
class FairShares {
 public:
  /// Rates in bytes per nanosecond.
  FairShares(Simulation& sim, std::vector<double> rates);

  /// Waits until `bytes` have passed all of these resources. `key` orders transfers, whatever their order of
  /// arrival.
  Task<> pass(std::uint64_t key, double bytes, std::vector<std::uint32_t> resources);

 private:
  struct Flow {
    std::uint64_t key;
    double left;
    std::vector<std::uint32_t> resources;
    double rate = 0.0;
    Event done;
  };

  void change();
  void progress();
  void settle();
  void end_finished();
  void share(std::vector<std::uint32_t>& used);
  [[nodiscard]] std::uint32_t tightest(const std::vector<std::uint32_t>& used) const;
  Task<> settle_late();
  Task<> alarm(Time at);

  Simulation& sim_;
  std::vector<double> rates_;
  std::vector<double> free_;            // by resource, while it is shared out
  std::vector<std::uint32_t> waiting_;  // likewise: transfers without a rate
  std::vector<Flow*> flows_;            // by key
  Time since_{};
  Process alarm_;  // of the transfer that ends next: one at a time, however often shares change
  bool changed_ = false;
};

}  // namespace kbsim::hw
