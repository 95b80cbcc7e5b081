#pragma once

#include <string>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// What contradicts itself in an operation's shapes, dtypes and operands; "" if nothing does.
[[nodiscard]] std::string contradiction(const Op& op);

}  // namespace kbsim::oplog
