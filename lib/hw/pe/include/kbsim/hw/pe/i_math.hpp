#pragma once

#include <vector>

#include "kbsim/hw/pe/i_engine.hpp"

namespace kbsim::hw {

/// A vector engine: says what everything but products costs, and notes what costs nothing.
class IMath : public IEngine {
 public:
  /// An elementwise operation on so many elements.
  [[nodiscard]] virtual Time cost(std::int64_t elements) const = 0;
  [[nodiscard]] virtual Time cost(const oplog::Op& op) const = 0;
  /// What a cost of so many commands consists of, to the picosecond; nothing if the model doesn't say.
  [[nodiscard]] virtual std::vector<CostTerm> cost_terms(Time /*cost*/, std::int64_t /*commands*/) const {
    return {};
  }
  /// `op` (a number, print or check) takes no time; it is recorded at `at`, or now if that is past. Returns
  /// when.
  virtual Time note(Time at, oplog::Op op) = 0;
};

}  // namespace kbsim::hw
