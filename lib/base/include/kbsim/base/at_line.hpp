#pragma once

#include <source_location>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

/// Returns the result of `act`. An error of the three kinds below gets the line of the program that asked for
/// it.
template <class Act>
decltype(auto) at_line(const std::source_location& at, const Act& act) {
  const auto reported = [&](const Error& error) {
    return fmt::format("{}: {}", to_string(to_place(at)), error.what());
  };
  try {
    return act();
  } catch (const UsageError& error) {
    throw UsageError{reported(error)};
  } catch (const AllocationError& error) {
    throw AllocationError{reported(error)};
  } catch (const KernelFault& error) {
    throw KernelFault{reported(error)};
  }
}

}  // namespace kbsim
