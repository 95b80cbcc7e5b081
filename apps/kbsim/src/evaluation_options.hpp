#pragma once

#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/csv.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The options that an evaluation has besides those of every run.
[[nodiscard]] boost::program_options::options_description options_of(const evaluate::Evaluation& evaluation);
/// The arguments plus the evaluation's defaults: a machine and, if it has a folder, that folder. For an
/// evaluation with a folder, MILESTONE_FAST=1 in the environment means --reuse.
[[nodiscard]] Arguments with_defaults(const evaluate::Evaluation& evaluation, const Arguments& given);
/// Name of the source of --reuse, if any: the option itself, or the environment variable.
[[nodiscard]] std::string reuse_asker(const Arguments& given);
/// The table in the file of --reference; none for "". UsageError for a file without anything to compare.
[[nodiscard]] std::optional<report::CsvTable> reference_of(const std::string& file);

}  // namespace kbsim::app
