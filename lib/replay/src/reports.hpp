#pragma once

#include <string>
#include <vector>

#include "kbsim/oplog/log.hpp"

namespace kbsim::replay {

/// The operations of a kind that only reports, in the order of simulated time and, within one time, of the
/// lanes.
[[nodiscard]] std::vector<const oplog::Op*> reports_of(const oplog::OpLog& log, oplog::OpKind kind);

/// The text of such an operation.
[[nodiscard]] std::string text_of(const oplog::Op& op);

}  // namespace kbsim::replay
