#pragma once

#include <string>

#include <fnmatch.h>

#include "kbsim/hw/fabric/i_spans.hpp"

namespace kbsim::report {

/// Kinds that serve in turn or have work under way: their numbers make series.
inline bool is_counted(hw::SpanKind kind) { return kind >= hw::SpanKind::work; }

/// An empty glob fits all names.
inline bool fits(const std::string& glob, const std::string& name) {
  return glob.empty() || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

}  // namespace kbsim::report
