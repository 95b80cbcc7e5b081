#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "kbsim/base/self_profile.hpp"

namespace kbsim::report {

/// The simulator's own time: one row per kind of work, with the error of sampling, and the cost of the
/// samples.
[[nodiscard]] std::string to_text(const self_profile::Shares& shares);
[[nodiscard]] boost::json::object to_json(const self_profile::Shares& shares);

}  // namespace kbsim::report
