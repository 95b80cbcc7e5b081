#pragma once

#include <array>
#include <cstdint>

#include "kbsim/base/rank_label.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// The queue to a rank of the group, in the wirings of pairs.
[[nodiscard]] inline Dir to_rank(int rank) { return Dir{rank_label(rank)}; }

/// A vector that a PE sends to the same PE of another rank, or receives from it.
struct P2pMove {
  Ptr data;
  std::int64_t n_elem = 0;
  int peer = 0;  // rank of the group
  bool sends = true;
};

/// The arguments of the kernel of point-to-point messages on one PE. Moves go on side by side; moves with one
/// peer in one direction keep their order.
struct P2pArgs {
  static constexpr int kMost = 64;
  std::array<P2pMove, kMost> moves = {};
  int count = 0;
  std::int64_t slot_bytes = 0;  // per message at most
};

/// The arguments of the kernel of a barrier: the rank in its group, and the group's number of ranks.
struct BarrierArgs {
  int rank = 0;
  int ranks = 1;
};

}  // namespace kbsim
