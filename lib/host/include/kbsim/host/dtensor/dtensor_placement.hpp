#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kbsim/base/shape.hpp"
#include "kbsim/host/view.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host::dtensor {

/// The part of a tensor that a rank along an axis of a mesh has: all of it (Replicate), a chunk of a
/// dimension (Shard), or one term of a reduction over the ranks (Partial).
struct Replicate {
  friend auto operator<=>(const Replicate&, const Replicate&) = default;
};
struct Shard {
  int dim = 0;  // negative: from the end
  friend auto operator<=>(const Shard&, const Shard&) = default;
};
struct Partial {
  Reduction op = Reduction::sum;
  friend auto operator<=>(const Partial&, const Partial&) = default;
};
using Placement = std::variant<Replicate, Shard, Partial>;

/// One for each axis of the mesh.
using Placements = std::vector<Placement>;

/// "R", "S(1)", "P(sum)"; "[R, S(0)]".
[[nodiscard]] std::string to_string(const Placement& placement);
[[nodiscard]] std::string to_string(const Placements& placements);

/// The same shape except for one extent.
[[nodiscard]] Shape with_extent(const Shape& shape, int dim, std::int64_t extent);

/// Chunk i of n elements, as torch.chunk cuts: ceil(n / count) each, the last ones fewer or none.
[[nodiscard]] IndexRange chunk_of(std::int64_t n, int count, int i);

/// The shape of the local tensor at a coordinate. Axes that shard the same dimension cut one another's
/// chunks, the first axis first. An extent may be 0.
[[nodiscard]] Shape local_shape(const Shape& shape, const std::vector<int>& mesh,
                                const std::vector<int>& coordinate, const Placements& placements);

/// One axis changes its placement.
struct Change {
  int axis = 0;
  Placement from;
  Placement to;
};

/// The changes from one to the other with the fewest collectives, and then with the fewest bytes. Shard to
/// Replicate is an all-gather, to another Shard an all-to-all; Partial to Replicate an all-reduce, to Shard a
/// reduce-scatter; Replicate to Shard takes none. UsageError for a change to Partial.
[[nodiscard]] std::vector<Change> changes_between(const Shape& shape, const std::vector<int>& mesh,
                                                  const Placements& from, const Placements& to);

}  // namespace kbsim::host::dtensor
