#pragma once

#include <string_view>

namespace kbsim::inputs {

/// Types of events that ask nothing of this chip's NOC, or whose end isn't recorded: they are left out and
/// counted.
[[nodiscard]] bool is_left_out(std::string_view type);
/// Fields of an event that are read, or idle by knowledge.
[[nodiscard]] bool is_known_field(std::string_view field);

}  // namespace kbsim::inputs
