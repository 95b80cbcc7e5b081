#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// The option --plugin FILE, repeatable, and --kernels, its old name. Once parsed, the shared objects are
/// loaded, and what they register is known by name until the process ends. UsageError naming the file: not
/// there, not a shared object, built with another kbsim's headers, given twice, one that registers nothing,
/// a name that is taken, or a bench with options that can't be given.
void describe_plugins(boost::program_options::options_description& to);

/// The files that arguments which aren't parsed yet name.
[[nodiscard]] std::vector<std::string> plugins_named(const Arguments& arguments);

/// Loads at once those that the arguments name, which aren't parsed yet: their benches may have options.
void load_plugins(const Arguments& arguments);

/// Whether the process has parts that aren't kbsim's.
[[nodiscard]] bool has_plugins();

/// InternalError if two built-in things of a kind have one name, or an option that of another.
void require_no_conflicts();

}  // namespace kbsim::app
