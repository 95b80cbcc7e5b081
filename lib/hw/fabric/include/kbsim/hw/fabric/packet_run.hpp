#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Packets of an open message that arrive at a place one after another: the first at `head` and `tail`, each
/// other one `gap` later.
struct PacketRun {
  Bytes size;  // of each
  Time head{};
  Time tail{};
  Time gap{};
  std::int64_t count = 0;

  /// Removes the first `n`.
  void drop(std::int64_t n) {
    head += n * gap;
    tail += n * gap;
    count -= n;
  }
};

}  // namespace kbsim::hw
