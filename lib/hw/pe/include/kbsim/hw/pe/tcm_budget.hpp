#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// Bytes of a PE's TCM that tiles hold. A tile holds its bytes from its command's issue until its last handle
/// is gone and its last consumer, which may only be queued then, is done.
class TcmBudget {
 public:
  /// A tile's share; its address stays the same while it is held.
  struct Hold {
    Bytes bytes;
    std::source_location at;  // of the command that made the tile
    std::size_t index = 0;    // the budget's own
  };

  explicit TcmBudget(Bytes size) : size_{size} {}
  TcmBudget(const TcmBudget&) = delete;
  TcmBudget& operator=(const TcmBudget&) = delete;

  /// The first time from `t` on when `n` bytes are free, as released tiles make room; none if held tiles are
  /// in the way. `t` never decreases.
  [[nodiscard]] std::optional<Time> room(Bytes n, Time t);

  void take(Hold& hold);
  /// Its bytes are free from `when` on; `now` is the present time.
  void give(const Hold& hold, Time now, Time when, const Cause& why = {});
  /// Cause of the last room()'s wait, if causes are kept.
  [[nodiscard]] const Cause& why() const { return why_; }

  [[nodiscard]] Bytes size() const { return size_; }
  /// Bytes of tiles that have handles.
  [[nodiscard]] Bytes held() const { return held_; }
  /// The largest holders, by the lines that made them: "8 MiB in 2 tiles of gemm.cpp:31, 4 KiB in ...".
  [[nodiscard]] std::string holders() const;

 private:
  struct End {
    Time at;
    Bytes bytes;
    Cause why;
    friend bool operator>(const End& a, const End& b) {
      return std::pair{a.at, a.bytes} > std::pair{b.at, b.bytes};
    }
  };

  Bytes size_;
  Bytes held_;
  Bytes ending_;
  Cause why_;
  std::vector<Hold*> holds_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;  // of released tiles
};

}  // namespace kbsim::hw
