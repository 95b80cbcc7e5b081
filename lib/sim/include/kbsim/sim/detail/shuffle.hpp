#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kbsim/sim/detail/timed_event.hpp"

namespace kbsim::detail {

/// Takes the events of one phase in random order: every event that is there is equally likely next.
/// Each event stands in a list of its own, so that it can leave at any time.
class Shuffle {
 public:
  explicit Shuffle(std::uint64_t seed) : random_{seed} {}

  TimedEvent* next(List& arrived) {
    while (!arrived.empty()) pool_.emplace_back().push_back(arrived.pop_front());
    while (!pool_.empty()) {
      std::swap(pool_[random_() % pool_.size()], pool_.back());
      List chosen{std::move(pool_.back())};
      pool_.pop_back();
      if (!chosen.empty()) return static_cast<TimedEvent*>(&chosen.pop_front());
    }
    return nullptr;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const List& one : pool_) one.for_each(visit);
  }

 private:
  std::mt19937_64 random_;
  std::vector<List> pool_;
};

}  // namespace kbsim::detail
