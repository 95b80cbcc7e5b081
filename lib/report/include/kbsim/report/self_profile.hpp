#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "kbsim/base/self_profile.hpp"

namespace kbsim::report {

/// Where the simulator's own time went: a row a kind of work, with the error of sampling, and what the
/// samples themselves cost.
[[nodiscard]] std::string to_text(const self_profile::Shares& shares);
[[nodiscard]] boost::json::object to_json(const self_profile::Shares& shares);

}  // namespace kbsim::report
