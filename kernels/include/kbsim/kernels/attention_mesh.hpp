#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbsim/kernels/attention.hpp"
#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/prefetch.hpp"

namespace kbsim::attention {

using collective::InFlight;
using collective::Slice;
using collective::Slices;

/// Data that arrives from another rank: from which side, and to which side it goes on, if a rank is there.
struct Arrival {
  int rank = 0;
  Dir from;
  std::optional<Dir> on = {};
};

/// A rank's place in the line. The first rank has no neighbour to the west, the last has none to the east.
struct Line {
  int rank = 0;
  int size = 1;

  /// The sides on which there is a neighbour.
  [[nodiscard]] std::vector<Dir> sides() const;
  /// Arrivals from the ranks `distance` places away: 0 to 2 of them.
  [[nodiscard]] std::vector<Arrival> arrivals(int distance) const;
};
/// None on PEs that aren't ranks.
[[nodiscard]] std::optional<Line> place_in_line(TL& tl, const AttentionMeshArgs& args);

/// Trace range in which a kernel waits for a neighbour to send or to take a tile.
inline constexpr LastingName kWaitForNeighbour = "wait for a neighbour";

/// A tile from a neighbour, in its slot; the neighbour on the other side gets a copy. Without the copy, the
/// slots of all ranks could fill with tiles that wait for one another.
[[nodiscard]] Task<Tile> pass_on(TL& tl, Arrival way, Shape shape, DType dtype, InFlight* sends);

/// Waits until the neighbours have taken all sent tiles.
[[nodiscard]] Task<> all_taken(TL& tl, InFlight* sends);

/// A rank's own keys and values, loaded ahead of their use: head by head, block by block.
class OwnKeys {
 public:
  OwnKeys(TL& tl, const AttentionMeshArgs& args, int rank);
  /// Keys [keys, d] of a head; then the values.
  [[nodiscard]] Task<Tile> k(std::int64_t head, Slice keys);
  [[nodiscard]] Task<Tile> v(std::int64_t head, Slice keys);

 private:
  [[nodiscard]] Slice elements(std::int64_t head, const Slice& keys) const;
  [[nodiscard]] collective::Prefetch prefetch(Ptr from, int rank) const;

  TL& tl_;
  AttentionMeshArgs args_;
  collective::Prefetch k_;
  collective::Prefetch v_;
};

/// The scores of a rank's queries, by the positions of keys and queries among those of all ranks.
class Scores {
 public:
  /// `first_query`: the position of query 0 of each head. KernelFault if it's before the first key.
  Scores(TL& tl, const AttentionMeshArgs& args, std::int64_t first_query);
  /// Whether any query sees any of the keys.
  [[nodiscard]] bool any(Slice keys) const;
  /// Q K^T * scale of these rows of q, heads that share keys one after the other; kUnseen where unseen.
  [[nodiscard]] Tile of(const Tile& q, Slice rows, const Tile& k, Slice keys) const;

 private:
  TL& tl_;
  AttentionMeshArgs args_;
  std::int64_t first_query_;
};

}  // namespace kbsim::attention
