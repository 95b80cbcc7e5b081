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

/// What comes from a rank so many places away: from which side, and to which it goes on, if anybody is there.
struct Arrival {
  int rank = 0;
  Dir from;
  std::optional<Dir> on = {};
};

/// A rank's place in the line: nobody is west of the first and east of the last.
struct Line {
  int rank = 0;
  int size = 1;

  /// The sides on which there is a neighbour.
  [[nodiscard]] std::vector<Dir> sides() const;
  /// Of the ranks so many places away, as many as there are: 2 to 0.
  [[nodiscard]] std::vector<Arrival> arrivals(int distance) const;
};
/// None on PEs that aren't ranks.
[[nodiscard]] std::optional<Line> place_in_line(TL& tl, const AttentionMeshArgs& args);

/// What a kernel waits in for a neighbour, to send or to take a tile, as a range of the trace.
inline constexpr LastingName kWaitForNeighbour = "wait for a neighbour";

/// A tile from a neighbour, in its slot; the next one on the other side gets a copy. If the slot had to wait
/// until that can be sent, the slots of all could fill with tiles that wait for one another.
[[nodiscard]] Task<Tile> pass_on(TL& tl, Arrival way, Shape shape, DType dtype, InFlight* sends);

/// The neighbours have taken all that was sent.
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
