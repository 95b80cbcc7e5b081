#pragma once

#include <cstddef>
#include <cstdint>

#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

struct Packet;

/// Packets of a train by their place in it, from the first that there is to the last.
class TrainPackets {
 public:
  /// nullptr: there is none.
  [[nodiscard]] Packet* at(std::uint32_t i) const {
    const std::uint32_t place = i - first_;
    return place < all_.size() ? all_[place] : nullptr;
  }
  /// Behind the last.
  [[nodiscard]] std::uint32_t end() const { return first_ + static_cast<std::uint32_t>(all_.size()); }
  void set(std::uint32_t i, Packet& packet) {
    if (i == end() && all_.size() < all_.capacity()) return all_.push_back(&packet);
    set_elsewhere(i, packet);
  }
  void clear() {
    if (all_.capacity() > kFew) [[unlikely]]
      PoolVector<Packet*>{}.swap(all_);
    all_.clear();
  }

 private:
  static constexpr std::size_t kFew = 4;

  [[gnu::noinline]] void set_elsewhere(std::uint32_t i, Packet& packet) {
    if (all_.empty()) {
      first_ = i;
      all_.reserve(kFew);
    }
    if (i < first_) {
      all_.insert(all_.begin(), first_ - i, nullptr);
      first_ = i;
    }
    if (i >= end()) all_.resize(i - first_ + 1);
    all_[i - first_] = &packet;
  }

  PoolVector<Packet*> all_;
  std::uint32_t first_ = 0;
};

}  // namespace kbsim::hw
