#pragma once

#include <functional>
#include <vector>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// Returns the elements of an operand as numbers, computing what it needs from the record so far. Set by code
/// that can replay; else empty.
using Evaluator = std::function<std::vector<double>(const Operand& what)>;

}  // namespace kbsim::oplog
