#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace kbsim::sweep {

/// How a run with a given number of something ended.
struct EnoughTrial {
  enum class End { ran, stuck, refused };  // refused: no room for that number
  End end = End::ran;
  double number = 0.0;  // if it ran; smaller is better
};

struct Enough {
  std::optional<std::int64_t> fewest;  // that isn't stuck
  std::optional<std::int64_t> enough;  // from which on more is no better
  std::int64_t largest = 0;            // that was tried and not refused
  std::map<std::int64_t, EnoughTrial> tried;

  /// The fewest that was tried and ran, for a search that ended early.
  [[nodiscard]] std::optional<std::int64_t> fewest_so_far() const;
  /// True if a larger number was worse in some trials: the assumption doesn't hold.
  [[nodiscard]] bool contradicts() const;
};

/// Finds the number of something, from 1 to `most`, that a run needs, and the number beyond which more
/// doesn't help. Tries 1, 2, 4 and so on until one is refused, then halves the steps in which something
/// changes. Assumes that more never makes a run stuck or worse. `run` gives nullopt to end the search.
[[nodiscard]] Enough find_enough(std::int64_t most,
                                 const std::function<std::optional<EnoughTrial>(std::int64_t)>& run);

}  // namespace kbsim::sweep
