#pragma once

#include <vector>

#include "kbsim/hw/pe/i_engine.hpp"

namespace kbsim::hw {

/// A product of m x k by k x n elements; in a composite, the block that the matrix engine takes at once.
struct GemmTile {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  int element_bytes = 2;  // of both operands
};

/// A matrix engine: says what products cost.
class IGemm : public IEngine {
 public:
  /// Multiply-accumulates per nanosecond while the whole engine works; utilizations are relative to this.
  [[nodiscard]] virtual double peak_macs_per_ns() const = 0;
  /// One tile of a composite, padded to its full size.
  [[nodiscard]] virtual Time tile_cost(const GemmTile& tile) const = 0;
  /// A `dot` whose operands are in TCM. `tile` is the scheduler's, for engines that take whole tiles only.
  [[nodiscard]] virtual Time cost(const oplog::Op& dot, const GemmTile& tile) const = 0;
  /// Terms of such a cost, exact to the picosecond; none if the model gives none.
  [[nodiscard]] virtual std::vector<CostTerm> cost_terms(Time /*cost*/, const GemmTile& /*tile*/) const {
    return {};
  }
};

/// The extents of one product of a `dot`, and how many such products it has.
struct DotExtents {
  GemmTile product;
  std::int64_t batches = 1;
};
[[nodiscard]] DotExtents extents(const oplog::Op& dot);

}  // namespace kbsim::hw
