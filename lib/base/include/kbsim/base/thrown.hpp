#pragma once

#include <string>

namespace kbsim {

/// In a handler: the exception's text; if it isn't a std::exception, its type: "threw an object of type int,
/// which is no std::exception".
[[nodiscard]] std::string thrown_text();

}  // namespace kbsim
