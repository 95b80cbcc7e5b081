#pragma once

#include <array>
#include <cstdint>

#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// Rows of a tensor in memory, each of consecutive elements, a stride apart.
struct Box {
  Ptr data;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;  // elements from row to row
};

/// A box that a PE sends to the same PE of another rank, or copies; or that it receives.
struct BoxMove {
  enum class Kind { send, receive, copy };
  Kind kind = Kind::send;
  int peer = 0;   // rank of the group; for a copy its own
  Box from = {};  // source of a send or copy
  Box to = {};    // target of a receive or copy
};

/// The arguments of exchange_boxes on one PE. With `combines`, received and copied boxes have one size, and
/// their combination is stored at the copy's target.
struct BoxArgs {
  static constexpr int kMost = 64;
  std::array<BoxMove, kMost> moves = {};
  int count = 0;
  std::int64_t slot_bytes = 0;  // per message at most
  bool combines = false;
  Reduction op = Reduction::sum;
  int ranks = 1;
};

}  // namespace kbsim
