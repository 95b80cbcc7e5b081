#pragma once

#include <string>
#include <string_view>

namespace kbsim::app {

/// All other things that have the name of a command (`kbsim ccl`) or bench (`--bench ccl`), each with where
/// it is explained, for the end of its help; "" if there are none.
[[nodiscard]] std::string namesakes_of(std::string_view help);

/// ", which is a section ..." if the configuration has a section of that name, else "".
[[nodiscard]] std::string section_hint(const std::string& name);

}  // namespace kbsim::app
