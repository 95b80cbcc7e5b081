#pragma once

#include <string>
#include <string_view>

namespace kbsim::inputs {

/// Types of events that don't use this chip's NOC, or have no recorded end: they are left out and counted.
[[nodiscard]] bool is_left_out(std::string_view type);
/// Fields of an event that are used, or known to be idle.
[[nodiscard]] bool is_known_field(std::string_view field);
/// "; did you mean 'num_bytes'?" of a field that is near, or "".
[[nodiscard]] std::string field_hint(std::string_view field);

}  // namespace kbsim::inputs
