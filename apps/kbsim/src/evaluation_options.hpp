#pragma once

#include <optional>

#include <boost/program_options.hpp>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/csv.hpp"

namespace kbsim::app {

/// Adds the options that an evaluation has besides those of every run.
void describe(const evaluate::Evaluation& evaluation, boost::program_options::options_description& to);
/// What those options are, once parsed.
[[nodiscard]] evaluate::Options own_options(const evaluate::Evaluation& evaluation,
                                            const boost::program_options::variables_map& values);
/// What --reference names, if anything; UsageError for a file that nothing can be held against.
[[nodiscard]] std::optional<report::CsvTable> reference_of(
    const boost::program_options::variables_map& values);

}  // namespace kbsim::app
