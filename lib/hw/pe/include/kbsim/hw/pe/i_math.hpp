#pragma once

#include <vector>

#include "kbsim/hw/pe/i_engine.hpp"

namespace kbsim::hw {

/// A vector engine: costs of everything but products, and records of operations that cost nothing.
class IMath : public IEngine {
 public:
  /// Cost of an elementwise operation on `elements` elements.
  [[nodiscard]] virtual Time cost(std::int64_t elements) const = 0;
  [[nodiscard]] virtual Time cost(const oplog::Op& op) const = 0;
  /// Terms of a cost of `commands` commands, exact to the picosecond; none if the model gives none.
  [[nodiscard]] virtual std::vector<CostTerm> cost_terms(Time /*cost*/, std::int64_t /*commands*/) const {
    return {};
  }
  /// `op` (a number, print or check) takes no time; it is recorded at `at`, or now if that is past. Returns
  /// that time.
  virtual Time note(Time at, oplog::Op op) = 0;
};

}  // namespace kbsim::hw
