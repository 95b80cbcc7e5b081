#pragma once

#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/host/dtensor/placement.hpp"

namespace kbsim::host::dtensor {

/// An operand, as its rule sees it.
struct Placed {
  Shape shape;
  DType dtype;
  Placements placements;
};

/// What an operator's operands have to be, and what its result then is.
struct ShardingRule {
  std::vector<Placements> operands;
  Placements result;
};

/// Of an axis: all replicated; chunks of the contraction, which give Partial; of rows; of columns; a Partial
/// sum of one operand. That one for which the operands send least, the first of several.
[[nodiscard]] ShardingRule matmul_rule(const std::vector<int>& mesh, const Placed& x, const Placed& w);

/// The sum: sharded along each axis as an operand is, the first of several. Where both are Partial sums, or
/// both Partial averages, so is the result, unless a change to its dtype isn't linear, as of integers that
/// wrap. Any other Partial is reduced first.
[[nodiscard]] ShardingRule pointwise_rule(const Placed& a, const Placed& b, DType result);

/// Element by element, not linear; and over the last dimension: an axis that shards that is replicated.
[[nodiscard]] ShardingRule elementwise_rule(const Placed& x);
[[nodiscard]] ShardingRule rowwise_rule(const Placed& x);

}  // namespace kbsim::host::dtensor
