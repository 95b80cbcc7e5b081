#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include <boost/program_options.hpp>

namespace kbsim::app {

inline constexpr std::int64_t kLargestWhole = std::numeric_limits<std::int64_t>::max();

/// An option whose value is a whole number from 0 to `max`. UsageError for any other number.
[[nodiscard]] boost::program_options::typed_value<std::int64_t>* whole(
    const char* option, const char* value_name, std::int64_t max,
    const std::function<void(std::uint64_t)>& set);

}  // namespace kbsim::app
