#pragma once

#include <filesystem>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/ccl/plan.hpp"
#include "kbsim/ccl/plan_check.hpp"

namespace kbsim::inputs {

/// The contents of other tools' files: words and numbers by name, "format" first. InputError or UsageError if
/// a file can't be read, Unsupported if it can't be run.
[[nodiscard]] boost::json::object describe_chakra_folder(const std::filesystem::path& folder);
[[nodiscard]] boost::json::object describe_chakra_trace(const std::filesystem::path& file);
[[nodiscard]] boost::json::object describe_layers(const std::filesystem::path& file);
/// Incomplete rows are reported on stderr.
[[nodiscard]] boost::json::object describe_measurements(const std::filesystem::path& file);
/// Reads the file twice, piece by piece. Bytes of a multicast count once.
[[nodiscard]] boost::json::object describe_noc_trace(const std::filesystem::path& file);

/// One line per name, followed by its value: lists divided by commas, sentences on lines of their own, no
/// JSON.
[[nodiscard]] std::string lines_about(const boost::json::object& described);

/// Describes a plan, from either kind of file, with the result of its symbolic check.
[[nodiscard]] boost::json::object describe(const ccl::Plan& plan, const ccl::PlanJudgement& judgement);
/// The same in sentences.
[[nodiscard]] std::string text_about(const ccl::Plan& plan, const ccl::PlanJudgement& judgement);

}  // namespace kbsim::inputs
