#pragma once

#include <cstdint>

namespace kbsim::inference {

/// Part of a model that operations belong to; norms and rows before the head are the head's.
enum class ModelPart : std::uint8_t { embedding, layers, head };

}  // namespace kbsim::inference
