#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// The properties of a kind of operation.
struct OpRow {
  OpKind op;
  std::string_view name;
  std::size_t least = 1;  // inputs
  std::size_t most = 1;
  CostClass cost = CostClass::elementwise;  // a unary operation has its own
  /// How shapes and dtypes break the kind's rules; "" if they don't. Inputs have been counted.
  std::string (*contradiction)(const Op& op);
  bool moves = false;  // its value is its input's
};
[[nodiscard]] const OpRow& row_of(OpKind kind);

[[nodiscard]] CostClass cost_class(const Op& op);

}  // namespace kbsim::oplog
