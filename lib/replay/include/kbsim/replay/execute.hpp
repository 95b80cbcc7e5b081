#pragma once

#include <cstddef>
#include <span>

#include "kbsim/oplog/op.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// The contents of an operation's inputs, each as its shape and dtype say and aligned for its items.
using Inputs = std::span<const std::span<const std::byte>>;

/// The value that an operation makes of its inputs. The operation need not be in a log, but must be as
/// consistent. Throws KernelFault for an integer division by zero.
[[nodiscard]] Buffer execute(const oplog::Op& op, Inputs inputs);

}  // namespace kbsim::replay
