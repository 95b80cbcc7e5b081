#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace kbsim::report {

/// The record of config.resolved.yaml in run.json: its number of lines and its digest.
[[nodiscard]] boost::json::object record_of_configuration(const std::string& text);

/// UsageError with the file and the line of its end if lines are missing. `run` is run.json; an earlier
/// version has no such record, and then nothing is refused.
void require_whole(const boost::json::object& run, const std::string& text, const std::string& file);
/// The same; it also refuses any other change of the file.
void require_unchanged(const boost::json::object& run, const std::string& text, const std::string& file);

}  // namespace kbsim::report
