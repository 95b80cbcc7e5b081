#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace kbsim::report {

/// What run.json says of config.resolved.yaml: how many lines it has, and their digest.
[[nodiscard]] boost::json::object record_of_configuration(const std::string& text);

/// UsageError with the file and the line where it ends, if it has lost lines since. `run` is run.json; of an
/// earlier version it says nothing of that, and nothing is refused.
void require_whole(const boost::json::object& run, const std::string& text, const std::string& file);
/// The same, and if anything else in it has changed.
void require_unchanged(const boost::json::object& run, const std::string& text, const std::string& file);

}  // namespace kbsim::report
