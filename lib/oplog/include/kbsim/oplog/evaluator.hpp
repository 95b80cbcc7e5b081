#pragma once

#include <functional>
#include <vector>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// Gives the numbers that an operand's elements are, computing what it needs of the record so far. Filled
/// in by whoever can replay; empty if nobody can.
using Evaluator = std::function<std::vector<double>(const Operand& what)>;

}  // namespace kbsim::oplog
