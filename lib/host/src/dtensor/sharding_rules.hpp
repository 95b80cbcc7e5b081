#pragma once

#include <optional>
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

/// Operations of two operands by what they do to Partial sums or averages: a sum of two is one; a product of
/// one with a replicated operand is one, and so is a quotient by a replicated operand.
enum class Linearity { sum, product, quotient };
/// Each axis is sharded as the first operand that is sharded there. Partial sums (or averages) stay as above,
/// unless the change to the result's dtype isn't linear, as for integers that wrap. Any other Partial is
/// reduced first.
[[nodiscard]] ShardingRule pointwise_rule(const Placed& a, const Placed& b, DType result, Linearity kind);
/// The same for an operand and a number; `kind` none: a Partial is reduced first.
[[nodiscard]] ShardingRule with_number_rule(const Placed& x, DType result, bool linear);

/// Combinations of elements: Partial sums (or averages) stay if it is a sum.
struct Combination {
  Reduction op = Reduction::sum;  // also of parts on several ranks
  std::optional<int> dim = {};    // from 0; none: all
  bool keepdim = false;
  DType result = f32;
};
/// Along an axis that shards a reduced dimension the result is Partial. For extremes, which have no value
/// for no elements, such an axis is replicated first if a chunk is empty.
[[nodiscard]] ShardingRule reduction_rule(const std::vector<int>& mesh, const Placed& x,
                                          const Combination& how);

/// A new shape of the same elements. A shard stays if its dimension is the first one of those that are
/// split or joined with it, and all chunks hold whole parts of the new first dimension; else it is
/// replicated first. Partial stays.
[[nodiscard]] ShardingRule view_rule(const std::vector<int>& mesh, const Placed& x, const Shape& shape);

/// For operators element by element (not linear), and over the last dimension, which is replicated.
[[nodiscard]] ShardingRule elementwise_rule(const Placed& x);
[[nodiscard]] ShardingRule rowwise_rule(const Placed& x);

}  // namespace kbsim::host::dtensor
