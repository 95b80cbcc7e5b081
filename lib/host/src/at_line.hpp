#pragma once

#include <source_location>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::host {

/// What `act` gives; what it refuses is told with the line of the program that asked for it.
template <class Act>
decltype(auto) at_line(const std::source_location& at, const Act& act) {
  try {
    return act();
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", to_string(to_place(at)), error.what())};
  } catch (const AllocationError& error) {
    throw AllocationError{fmt::format("{}: {}", to_string(to_place(at)), error.what())};
  }
}

}  // namespace kbsim::host
