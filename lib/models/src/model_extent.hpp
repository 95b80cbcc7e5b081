#pragma once

#include <cstdint>

namespace kbsim::models {

/// How much of a config.json counts: its decoder layer, or embedding, positions and head, too.
enum class Extent : std::uint8_t { layer, model };

}  // namespace kbsim::models
