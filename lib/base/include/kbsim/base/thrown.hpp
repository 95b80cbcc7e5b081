#pragma once

#include <string>

namespace kbsim {

/// In a handler: what the exception says; of one that isn't a std::exception its type: "threw an object of
/// type int, which is no std::exception".
[[nodiscard]] std::string thrown_text();

}  // namespace kbsim
