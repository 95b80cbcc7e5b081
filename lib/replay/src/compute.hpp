#pragma once

#include "operand.hpp"

namespace kbsim::replay {

/// Executes one operation. Throws KernelFault and Unsupported without saying which operation it is.
[[nodiscard]] Value compute(const oplog::Op& op, const Lookup& lookup, Ledger& ledger);

}  // namespace kbsim::replay
