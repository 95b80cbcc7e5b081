#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "kbsim/kernels/lanes.hpp"
#include "kbsim/kernels/serial_worker.hpp"

namespace kbsim::collective {

/// Whether the last place is joined with the first.
enum class Ends { joined, open };

/// A PE's place where parts travel both ways at once, seen along one way: it sends along `next` and receives
/// from `back`. Round a ring a part travels half of it; the part for the place opposite is cut in halves, one
/// each way. Along a line a part travels as far as the end.
struct Way {
  int place = 0;
  int size = 1;
  int step = 1;  // of the places: 1 or -1
  Ends ends = Ends::joined;
  Dir next = Dir::E;
  Dir back = Dir::W;

  /// The largest distance between two places.
  [[nodiscard]] int reach() const { return ends == Ends::joined ? size / 2 : size - 1; }
  /// Whether a place lies opposite, as far away along both ways.
  [[nodiscard]] bool has_opposite() const { return ends == Ends::joined && size > 1 && size % 2 == 0; }
  /// The place at that distance ahead, or before if negative; none past the end of a line.
  [[nodiscard]] std::optional<int> ahead(int distance) const;
  /// Whether this way takes that message of a part to a place `distance` places after the part's.
  [[nodiscard]] bool takes(const Window& part, const Slice& message, int distance) const;
  /// Whether this place sends on a message that it has from, or receives one that goes on to, a place at such
  /// a distance: takes it that far, and there is a next place, or one before.
  [[nodiscard]] bool sends(const Window& part, const Slice& message, int distance) const {
    return ahead(1) && takes(part, message, distance);
  }
  [[nodiscard]] bool receives(const Window& part, const Slice& message, int distance) const {
    return ahead(-1) && takes(part, message, distance);
  }
};

/// East and west, and the ranks by their places.
struct TwoWays {
  std::array<Way, 2> ways;
  std::vector<int> ranks;

  [[nodiscard]] int place() const { return ways[0].place; }
  [[nodiscard]] int reach() const { return ways[0].reach(); }
  /// The messages of a part: those of each half if the ring has an opposite place.
  [[nodiscard]] Slices messages(const Window& part) const;
  /// The window of each place's part of a tensor with a part of n elements for each rank.
  [[nodiscard]] std::vector<Window> parts(const Window& window, std::int64_t n) const;
};

/// The ranks' ring (topology ring_1d), and their line (line_of_packages).
[[nodiscard]] TwoWays both_ways_round(const CollectiveArgs& args);
[[nodiscard]] TwoWays both_ways_along(const CollectiveArgs& args);

/// Items of both ways, one of each way in turn.
template <class T>
[[nodiscard]] std::vector<T> alternating(const std::array<std::vector<T>, 2>& ways) {
  std::vector<T> turns;
  for (std::size_t turn = 0; turn < std::max(ways[0].size(), ways[1].size()); ++turn) {
    for (const std::vector<T>& way : ways) {
      if (turn < way.size()) turns.push_back(way[turn]);
    }
  }
  return turns;
}

/// A message of a part, on one of the ways.
struct WayTurn {
  std::size_t way;
  std::size_t part;  // its place
  Slice message;
};
/// The messages of the parts of the places `distance` ahead on each way, or before if negative, that travel
/// so far: one of each way in turn.
[[nodiscard]] std::vector<WayTurn> in_turns(const TwoWays& two, const std::vector<Window>& parts,
                                            int distance);

/// The combination of all places' messages of this place's part, stored at `to` or else returned. Each place
/// adds its own to what comes from the place before and sends the sum on, the part of the furthest place
/// first.
[[nodiscard]] Task<TileMap> scatter_both_ways(TL& tl, TwoWays two, std::vector<Window> parts, Ptr from,
                                              std::optional<Ptr> to, CollectiveArgs args, WorkerSpec worker);

/// Stores the parts of all places at `to`. `sums` has this place's messages. Each place sends its own part
/// both ways, then what arrives, until the last place has it.
[[nodiscard]] Task<> gather_both_ways(TL& tl, TwoWays two, std::vector<Window> parts, TileMap sums, Ptr to,
                                      CollectiveArgs args);

}  // namespace kbsim::collective
