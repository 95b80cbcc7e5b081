#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "kbsim/oplog/log.hpp"
#include "kbsim/replay/replay.hpp"

namespace kbsim::replay {

/// The first element that is 0 or NaN: "element [1, 0] of bool [2, 3] is false"; none if all are true.
[[nodiscard]] std::optional<std::string> untrue(std::span<const std::byte> bytes, DType dtype,
                                                const Shape& shape);

/// KernelFault for the first of the kernels' checks, in the order of prints(), that doesn't hold:
/// "[12.5 ns sip0.cube0.pe0] loss.cpp:41: check_all: the loss is finite: element [3] of f32 [8] is nan".
/// Computes what isn't held yet; throws as Replay::evaluate().
void check(const oplog::OpLog& log, Replay& replay);

}  // namespace kbsim::replay
