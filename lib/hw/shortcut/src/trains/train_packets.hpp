#pragma once

#include <cstdint>

#include "kbsim/sim/pool_queue.hpp"

namespace kbsim::hw {

struct Packet;

/// Packets of a train by index, from the first to the last that exists.
class TrainPackets {
 public:
  /// nullptr: there is none.
  [[nodiscard]] Packet* at(std::uint32_t i) const {
    const std::uint32_t place = i - first_;
    return place < all_.size() ? all_.begin()[place] : nullptr;
  }
  /// Index after the last.
  [[nodiscard]] std::uint32_t end() const { return first_ + static_cast<std::uint32_t>(all_.size()); }
  void set(std::uint32_t i, Packet& packet) {
    if (all_.empty()) first_ = i;
    if (i == end()) [[likely]]
      return all_.push_back(&packet);
    while (i < first_) all_.insert(all_.begin(), nullptr), --first_;
    all_.grow_to(i - first_ + 1);
    all_[i - first_] = &packet;
  }
  void clear() { all_.clear(); }

 private:
  PoolQueue<Packet*> all_;
  std::uint32_t first_ = 0;
};

}  // namespace kbsim::hw
