#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/base/options.hpp"

namespace kbsim::evaluate {

/// The values of the options that results hang on, by their names: numbers, texts, 0 or 1 of a switch. A text
/// that is empty isn't there.
[[nodiscard]] boost::json::object to_json(const OptionSet& options, const OptionValues& values);

/// The options themselves: name, short name, type, unit, default, range, choices and help.
[[nodiscard]] boost::json::array to_json(const OptionSet& options);

}  // namespace kbsim::evaluate
