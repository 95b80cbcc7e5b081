#pragma once

#include <string>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// The contradiction in an operation's shapes, dtypes and operands; "" if there is none.
[[nodiscard]] std::string contradiction(const Op& op);

}  // namespace kbsim::oplog
