#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kbsim/kernels/ring.hpp"

namespace kbsim::collective {

/// A share of a vector that travels round a ring, while other shares travel round other rings. Place i ends
/// up with chunk i, given as messages.
struct Lane {
  Ring ring;
  std::vector<Slices> chunks;

  /// The messages of the place `steps` steps before this one.
  [[nodiscard]] const Slices& chunk(int steps) const { return chunks[ring.before(steps)]; }
  [[nodiscard]] bool may_fill_slots(const CollectiveArgs& args) const;
};
using Lanes = std::vector<Lane>;

/// A lane of chunks that are equal shares of the window.
[[nodiscard]] Lane lane_of(const Ring& ring, const Window& window);

/// The own tiles of each lane, in the order in which a reduce-scatter combines them.
[[nodiscard]] std::vector<Prefetch> prefetch(TL& tl, Ptr from, const Lanes& lanes, const TcmBudget& budget,
                                             Combination to);

/// A message of the lane of that index.
struct Turn {
  std::size_t lane;
  Slice message;
};
/// The messages of all lanes' chunks `steps` steps before, one message of each lane in turn.
[[nodiscard]] std::vector<Turn> in_turns(const Lanes& lanes, int steps);

/// Tiles at hand, by their first elements.
using TileMap = std::map<std::int64_t, Tile>;
[[nodiscard]] Tile take(TileMap& tiles, const Slice& message);

/// Puts into `sums`, for each lane, the combination of all PEs' chunks of this place. This PE's tiles are
/// loaded from memory, or taken from `sums` without `own`. Each message goes on as soon as it has arrived.
[[nodiscard]] Task<> reduce_scatter(TL& tl, Lanes lanes, std::vector<Prefetch>* own, TileMap* sums,
                                    CollectiveArgs args);

/// Where gathered tiles go: they are kept in `tiles`, or stored in this PE's data.
enum class Gathered { kept, stored };
/// Gives all PEs the chunk of each place. `tiles` holds this PE's chunk at the start.
[[nodiscard]] Task<> all_gather(TL& tl, Lanes lanes, TileMap* tiles, Gathered gathered, CollectiveArgs args);

}  // namespace kbsim::collective
