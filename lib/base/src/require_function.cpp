#include "kbsim/base/require_function.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

void require_function(bool is_given, std::string_view call, const std::source_location& at) {
  if (is_given) return;
  throw UsageError{fmt::format("{}: {}: the function is a null pointer, expected one to run",
                               to_string(to_place(at)), call)};
}

}  // namespace kbsim
