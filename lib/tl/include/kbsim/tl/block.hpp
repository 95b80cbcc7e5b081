#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// Consecutive bytes of a tile and where they lie in memory.
struct BlockRun {
  std::uint64_t va = 0;
  std::int64_t offset = 0;  // in the tile
  Bytes bytes;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

using BlockRuns = PoolVector<BlockRun>;

/// Adds a run, or extends the last one if both adjoin in the tile and in memory.
void append(BlockRuns& runs, const BlockRun& run);

/// The part of a tile that is in memory: disjoint runs in ascending order of offset. Only these move; a
/// loaded tile has `pad` elsewhere.
struct Block {
  BlockRuns runs;
  Shape shape;
  DType dtype = f16;
  double pad = 0.0;

  [[nodiscard]] Bytes in_memory() const {
    Bytes sum{};
    for (const BlockRun& run : runs) sum += run.bytes;
    return sum;
  }
};

/// A tile that lies in memory as one row-major run.
[[nodiscard]] Block whole(Ptr at, const Shape& shape, DType dtype);

}  // namespace kbsim
