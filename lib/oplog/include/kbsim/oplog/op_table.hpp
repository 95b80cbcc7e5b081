#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// What is known of a kind of operation.
struct OpRow {
  OpKind op;
  std::string_view name;
  std::size_t least = 1;  // inputs
  std::size_t most = 1;
  CostClass cost = CostClass::elementwise;  // of a unary operation its own
  /// What of its shapes and dtypes breaks the kind's rules; "" if nothing does. Inputs have been counted.
  std::string (*contradiction)(const Op& op);
  bool moves = false;  // its value is its input's
};
[[nodiscard]] const OpRow& row_of(OpKind kind);

[[nodiscard]] CostClass cost_class(const Op& op);

}  // namespace kbsim::oplog
