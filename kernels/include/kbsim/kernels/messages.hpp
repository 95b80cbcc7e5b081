#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::collective {

/// Consecutive elements of a vector: a window that TCM has room for, a chunk of a ring, a message of a slot.
struct Slice {
  std::int64_t first = 0;
  std::int64_t size = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};
using Slices = std::vector<Slice>;

/// One of `count` chunks of nearly equal size, the first ones larger. A chunk may be empty.
[[nodiscard]] Slice chunk_of(Slice whole, int index, int count);

/// As few slices of at most `most` elements (0: any number) as possible, nearly equal: while one message is
/// on the link, there is time to deal with the one before.
[[nodiscard]] Slices cut(Slice whole, std::int64_t most);

/// The same slices of a vector that begins `by` elements later.
[[nodiscard]] Slices shifted(Slices slices, std::int64_t by);

/// This PE's part of `data`; and of `out`, whose parts have `out_elems` elements.
[[nodiscard]] Ptr own_data(TL& tl, const CollectiveArgs& args);
[[nodiscard]] Ptr own_out(TL& tl, const CollectiveArgs& args, std::int64_t out_elems);

using Tiles = std::vector<Tile>;

/// How PEs' tiles become one: the operation, and how many PEs contribute a tile.
struct Combination {
  Reduction op = Reduction::sum;
  int count = 1;
};
/// A PE's own tile as it goes into the combination. An average divides it by the count before any sum, as
/// PyTorch and NCCL define it, so that sums of large numbers don't overflow; rounded to the tile's dtype.
[[nodiscard]] Tile contribution(const Combination& to, const Tile& own);
/// Two tiles of one dtype become one of that dtype. Contributions to an average are added. Bools are joined
/// by or (sum, max) or by and (prod, min), as in PyTorch.
[[nodiscard]] Tile combine(TL& tl, Reduction op, const Tile& a, const Tile& b);

/// Each slice with its tile.
[[nodiscard]] std::vector<std::pair<Slice, Tile>> paired(const Slices& slices, Tiles tiles);

}  // namespace kbsim::collective
