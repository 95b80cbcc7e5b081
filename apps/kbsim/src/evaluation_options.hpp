#pragma once

#include <optional>

#include <boost/program_options.hpp>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/csv.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The options that an evaluation has besides those of every run.
[[nodiscard]] boost::program_options::options_description options_of(const evaluate::Evaluation& evaluation);
/// The arguments with what the evaluation has by default: a machine, and of one with a folder, the folder.
/// MILESTONE_FAST=1 in the environment is --reuse for it.
[[nodiscard]] Arguments with_defaults(const evaluate::Evaluation& evaluation, const Arguments& given);
/// What asks for --reuse, if anything: the option itself, or the environment.
[[nodiscard]] std::string reuse_asker(const Arguments& given);
/// What --reference names, if anything; UsageError for a file that nothing can be held against.
[[nodiscard]] std::optional<report::CsvTable> reference_of(
    const boost::program_options::variables_map& values);

}  // namespace kbsim::app
