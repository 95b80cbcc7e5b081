#pragma once

#include <functional>

#include "kbsim/oplog/op.hpp"

#include "aligned.hpp"
#include "values.hpp"

namespace kbsim::replay {

/// The contents of a value that was computed.
using Lookup = std::function<const Value&(const oplog::ValueId&)>;

/// The bytes of an operand, 0xFF where they are unwritten. Throws InternalError for a slice beyond its value.
[[nodiscard]] Buffer gather(const oplog::Operand& what, const Lookup& lookup);

/// The same, aligned for its dtype and copied only if need be: valid as long as the values it reads.
[[nodiscard]] Aligned view(const oplog::Operand& what, const Lookup& lookup);

/// The value, if the operand is the whole of it; else nullptr.
[[nodiscard]] Value whole(const oplog::Operand& what, const Lookup& lookup);

}  // namespace kbsim::replay
