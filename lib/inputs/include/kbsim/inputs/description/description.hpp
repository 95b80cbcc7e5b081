#pragma once

#include <filesystem>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/ccl/plan.hpp"
#include "kbsim/ccl/plan_check.hpp"

namespace kbsim::inputs {

/// What is in files of others: words and numbers by name, "format" first. InputError or UsageError for what
/// can't be read, Unsupported for what isn't run.
[[nodiscard]] boost::json::object describe_chakra_folder(const std::filesystem::path& folder);
[[nodiscard]] boost::json::object describe_chakra_trace(const std::filesystem::path& file);
[[nodiscard]] boost::json::object describe_layers(const std::filesystem::path& file);
/// Rows that aren't whole are told on stderr.
[[nodiscard]] boost::json::object describe_measurements(const std::filesystem::path& file);
/// Reads the file twice, piece by piece. Bytes of a multicast count once.
[[nodiscard]] boost::json::object describe_noc_trace(const std::filesystem::path& file);

/// A line a name, its value behind: lists divided by commas, sentences on lines of their own, no JSON.
[[nodiscard]] std::string lines_about(const boost::json::object& described);

/// Of a plan, from either kind of file, with what its symbolic check says.
[[nodiscard]] boost::json::object describe(const ccl::Plan& plan, const ccl::PlanJudgement& judgement);
/// The same in sentences.
[[nodiscard]] std::string text_about(const ccl::Plan& plan, const ccl::PlanJudgement& judgement);

}  // namespace kbsim::inputs
