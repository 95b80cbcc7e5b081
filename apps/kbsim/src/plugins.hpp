#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// The option --plugin FILE, repeatable, and its old name --kernels. Parsing it loads the shared objects;
/// what they register stays until the process ends. UsageError names the file: missing, not a shared object,
/// built with another kbsim's headers, given twice, without registrations, a name that is taken, or a bench
/// whose options can't be given.
void describe_plugins(boost::program_options::options_description& to);

/// The plug-in files in arguments that aren't parsed yet.
[[nodiscard]] std::vector<std::string> plugins_named(const Arguments& arguments);

/// Loads the plug-ins in unparsed arguments at once, since their benches may have options.
void load_plugins(const Arguments& arguments);

/// Whether plug-ins are loaded.
[[nodiscard]] bool has_plugins();

/// InternalError if two built-in things of a kind share a name, or an option has another option's name.
void require_no_conflicts();

}  // namespace kbsim::app
