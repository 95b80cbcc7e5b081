#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/base/options.hpp"

namespace kbsim::evaluate {

/// Values of the options that results depend on, by name: numbers, texts, 0 or 1 for a switch. Empty texts
/// are left out.
[[nodiscard]] boost::json::object to_json(const OptionSet& options, const OptionValues& values);

/// The options themselves: name, short name, type, unit, default, range, choices and help.
[[nodiscard]] boost::json::array to_json(const OptionSet& options);

}  // namespace kbsim::evaluate
