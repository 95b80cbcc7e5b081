#include "size_option.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {

Bytes size_given(const std::string& option, const std::string& text) {
  try {
    return parse_bytes(text);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", option, error.what())};
  }
}

}  // namespace kbsim::app
