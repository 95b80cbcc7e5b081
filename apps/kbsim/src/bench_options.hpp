#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/base/options.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The bench that unparsed arguments name, since it may have options of its own; "" if they name none.
[[nodiscard]] std::string bench_named(const Arguments& arguments);

/// The options of a bench or an evaluation; empty if it isn't known.
[[nodiscard]] OptionSet options_of_bench(const std::string& name);

/// Described options as the command line has them, with their defaults and ranges.
[[nodiscard]] boost::program_options::options_description to_description(const OptionSet& options);
/// The parsed values of options. UsageError for a value that an option doesn't accept.
[[nodiscard]] OptionValues values_of(const OptionSet& options,
                                     const boost::program_options::variables_map& values);

/// Faults in the options of benches and evaluations: invalid descriptions, and names that kbsim run has
/// itself. One line each, with the bench and both options.
[[nodiscard]] std::vector<std::string> option_conflicts();

}  // namespace kbsim::app
