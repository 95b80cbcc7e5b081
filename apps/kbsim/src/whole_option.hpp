#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include <boost/program_options.hpp>

namespace kbsim::app {

struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// An option whose value is a whole number within a range. UsageError, with the range, for any other text.
[[nodiscard]] boost::program_options::typed_value<std::int64_t>* whole_value(
    const char* option, const char* value_name, WholeRange range,
    const std::function<void(std::int64_t)>& set);

/// The same into a number, or an optional one, that outlives the parsing.
template <class Number>
[[nodiscard]] boost::program_options::typed_value<std::int64_t>* whole(const char* option,
                                                                       const char* value_name,
                                                                       WholeRange range, Number* into) {
  return whole_value(option, value_name, range,
                     [into](std::int64_t value) { *into = static_cast<Number>(value); });
}

}  // namespace kbsim::app
