#pragma once

#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/host/dtensor/dtensor_placement.hpp"

namespace kbsim::host::dtensor {

/// The properties of an operand that rules use.
struct Placed {
  Shape shape;
  DType dtype;
  Placements placements;
};

/// The placements that an operator needs of its operands, and the placements of its result.
struct ShardingRule {
  std::vector<Placements> operands;
  Placements result;
};

/// Choices for an axis: all replicated; the contraction sharded, which gives Partial; rows sharded; columns
/// sharded; one operand a Partial sum. Takes the choice with the fewest elements sent, the first of several.
[[nodiscard]] ShardingRule matmul_rule(const std::vector<int>& mesh, const Placed& x, const Placed& w);

/// For a sum: each axis is sharded as the first operand that is sharded there. If both are Partial sums (or
/// averages), so is the result, unless the change to its dtype isn't linear, as for integers that wrap. Any
/// other Partial is reduced first.
[[nodiscard]] ShardingRule pointwise_rule(const Placed& a, const Placed& b, DType result);

/// For operators element by element (not linear), and over the last dimension, which is replicated.
[[nodiscard]] ShardingRule elementwise_rule(const Placed& x);
[[nodiscard]] ShardingRule rowwise_rule(const Placed& x);

}  // namespace kbsim::host::dtensor
