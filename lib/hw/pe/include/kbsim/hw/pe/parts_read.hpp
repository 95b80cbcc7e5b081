#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

/// The contents that memory returned for a transfer: one part per answer, by its offset in the tile.
class PartsRead {
 public:
  using Part = std::pair<std::int64_t, oplog::Slices>;

  /// Answers arrive mostly in the order of their requests.
  void add(std::int64_t offset, const oplog::Slices& contents) {
    const auto behind = std::ranges::upper_bound(parts_, offset, {}, &Part::first);
    parts_.emplace(behind, offset, contents);
  }
  [[nodiscard]] const PoolVector<Part>& all() const { return parts_; }

 private:
  PoolVector<Part> parts_;
};

}  // namespace kbsim::hw
