#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/base/options.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The bench that the arguments name, before they are parsed: it may have options of its own. "": none.
[[nodiscard]] std::string bench_named(const Arguments& arguments);

/// The options of a bench or an evaluation; none of one that isn't known.
[[nodiscard]] OptionSet options_of_bench(const std::string& name);

/// Described options as the command line has them, with their defaults and ranges.
[[nodiscard]] boost::program_options::options_description to_description(const OptionSet& options);
/// What they are, once parsed; UsageError for what they don't accept.
[[nodiscard]] OptionValues values_of(const OptionSet& options,
                                     const boost::program_options::variables_map& values);

/// What is wrong with the options of benches and evaluations: descriptions with faults, and names that
/// kbsim run has itself. A line each, with the bench and both options.
[[nodiscard]] std::vector<std::string> option_conflicts();

}  // namespace kbsim::app
