#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/tl/tl.hpp"

namespace kbsim {

/// core_transfers: PEs that take part issue `transactions` writes, or reads, of `bytes` to each of their
/// targets, one target after the other, and wait for all of them. Each PE has `places` places of its own at a
/// target, which its transactions take in turn. At most `window` reads are under way, whatever their targets.
/// `took` gets each PE's time from its first issue to the last answer, by its number in the package; PEs
/// without targets take 0.
struct CoreTransfersArgs {
  Ptr there;  // of bytes: a row of `stride` for each target
  std::int64_t stride = 0;
  std::int64_t bytes = 0;
  std::int64_t transactions = 1;
  std::int64_t places = 1;
  std::int64_t window = 1;
  bool reads = false;
  const std::vector<std::vector<int>>* targets = nullptr;  // by PE
  const std::vector<int>* numbers = nullptr;               // by PE: its number among those that take part
  std::vector<Time>* took = nullptr;
};

}  // namespace kbsim
