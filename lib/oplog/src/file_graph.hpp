#pragma once

#include <functional>
#include <string>

#include "kbsim/oplog/log.hpp"

namespace kbsim::oplog {

/// Reports the first operation that reads a value that isn't there, bytes beyond a value's end, or, through
/// others, itself. The report doesn't return.
void check_graph(const OpLog& log,
                 const std::function<void(const ValueId& id, const std::string& text)>& report);

}  // namespace kbsim::oplog
