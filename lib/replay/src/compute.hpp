#pragma once

#include "operand.hpp"

namespace kbsim::replay {

/// Executes one operation. Throws KernelFault and Unsupported without saying which operation it is.
/// Null for a literal whose contents aren't kept: its readers get them from Literals.
[[nodiscard]] Value compute(const oplog::Op& op, const Lookup& lookup, Ledger& ledger);

}  // namespace kbsim::replay
