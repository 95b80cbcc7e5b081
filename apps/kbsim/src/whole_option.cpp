#include "whole_option.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

// Reads a signed number: as an unsigned one, -1 would be the largest number.
po::typed_value<std::int64_t>* whole(const char* option, const char* value_name, std::int64_t max,
                                     const std::function<void(std::uint64_t)>& set) {
  return po::value<std::int64_t>()->value_name(value_name)->notifier([=](std::int64_t value) {
    if (value < 0 || value > max)
      throw UsageError{fmt::format("--{} must be 0 to {}, got {}", option, max, value)};
    set(static_cast<std::uint64_t>(value));
  });
}

}  // namespace kbsim::app
