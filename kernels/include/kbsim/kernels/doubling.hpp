#pragma once

#include <optional>
#include <vector>

#include "kbsim/kernels/messages.hpp"

namespace kbsim::collective {

/// A rank in recursive doubling and halving. The first `size` ranks, the largest power of two of them,
/// exchange with the ranks at the distances 1, 2, 4, ... (topology doubling_distances). Each rank beyond
/// gives its data to the rank `size` lower at first, and gets its result from that rank in the end.
struct Doubling {
  int rank = 0;
  int size = 1;
  int ranks = 1;

  [[nodiscard]] bool beyond() const { return rank >= size; }
  /// The rank that this one stands for, or that stands for this one.
  [[nodiscard]] std::optional<int> beside() const {
    if (beyond()) return rank - size;
    return rank + size < ranks ? std::optional{rank + size} : std::nullopt;
  }
};
[[nodiscard]] Doubling doubling_of(const CollectiveArgs& args);

/// Equal or nearly equal chunks of a vector, as messages and as the tiles at hand. Numbers of chunks wrap.
class Chunks {
 public:
  explicit Chunks(std::vector<Slices> messages) : messages_{std::move(messages)}, tiles_(messages_.size()) {}

  [[nodiscard]] Slices messages(int first, int count) const;
  [[nodiscard]] Slices messages() const { return messages(0, size()); }
  [[nodiscard]] Tiles tiles(int first, int count) const;
  [[nodiscard]] Tiles tiles() const { return tiles(0, size()); }
  /// Replaces the tiles of these chunks; none: they are dropped.
  void put(int first, int count, Tiles tiles = {});

 private:
  [[nodiscard]] int size() const { return static_cast<int>(messages_.size()); }
  [[nodiscard]] std::size_t at(int chunk) const { return static_cast<std::size_t>(chunk % size()); }

  std::vector<Slices> messages_;
  std::vector<Tiles> tiles_;
};

/// Sends `mine` to one rank and receives tiles of these messages from another one, out of their slots. Either
/// may be none.
[[nodiscard]] Task<Tiles> exchange_with(TL& tl, int to, Tiles mine, int from, Slices theirs, DType dtype);

/// Sends `mine` to a rank, and combines `sums` with the tiles that it sends, the lower rank's first.
[[nodiscard]] Task<Tiles> combine_with(TL& tl, CollectiveArgs args, int rank, Tiles mine, Tiles sums);

/// Reduce-scatter among the first ranks: leaves the sums of chunk `rank` in `chunks`, which has one for each.
[[nodiscard]] Task<> halve(TL& tl, CollectiveArgs args, Doubling doubling, Chunks* chunks);

/// All-gather among the first ranks: from chunk `rank` of each to all chunks on all.
[[nodiscard]] Task<> double_up(TL& tl, Doubling doubling, Chunks* chunks, DType dtype);

}  // namespace kbsim::collective
