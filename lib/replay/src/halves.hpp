#pragma once

#include <cstddef>
#include <span>

namespace kbsim::replay {

/// The halves as floats, by the processor's own instruction; a NaN is a quiet one. False, and nothing is
/// done, if the processor has no such instruction.
[[nodiscard]] bool load_halves(std::span<const std::byte> from, float* to);

}  // namespace kbsim::replay
