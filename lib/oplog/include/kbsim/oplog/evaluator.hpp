#pragma once

#include <functional>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// Gives the number that an operand of one element is, computing what it needs of the record so far. Filled
/// in by whoever can replay; empty if nobody can.
using Evaluator = std::function<double(const Operand& element)>;

}  // namespace kbsim::oplog
