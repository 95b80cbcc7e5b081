#pragma once

#include <source_location>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

/// Returns the result of `act`. An error of the three kinds below gets the line of the program that asked for
/// it.
template <class Act>
decltype(auto) at_line(const std::source_location& at, const Act& act) {
  const auto with_line = [&](const Error& error) {
    return fmt::format("{}: {}", to_string(to_place(at)), error.what());
  };
  try {
    return act();
  } catch (const UsageError& error) {
    throw UsageError{with_line(error)};
  } catch (const AllocationError& error) {
    throw AllocationError{with_line(error)};
  } catch (const KernelFault& error) {
    throw KernelFault{with_line(error)};
  }
}

}  // namespace kbsim
