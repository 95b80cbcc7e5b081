#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kbsim/oplog/log.hpp"

namespace kbsim::oplog {

/// A log as a file: docs/reference/oplog-format.md describes it byte by byte. It holds all that replay needs.
[[nodiscard]] std::string encode(const OpLog& log);

/// The log in a file's bytes; it can be replayed. UsageError with `name` and the offset for a file that is
/// truncated, changed, of another version, or whose operations contradict themselves or each other. Takes
/// memory in proportion to the file, whatever lengths it claims.
[[nodiscard]] OpLog decode(std::span<const std::byte> file, const std::string& name);

}  // namespace kbsim::oplog
