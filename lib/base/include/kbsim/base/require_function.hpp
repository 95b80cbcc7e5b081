#pragma once

#include <source_location>
#include <string_view>

namespace kbsim {

/// UsageError, with the program's line, for a null pointer in place of a program's function.
void require_function(bool is_given, std::string_view call, const std::source_location& at);

}  // namespace kbsim
