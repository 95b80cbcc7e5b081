#pragma once

#include <boost/program_options.hpp>

namespace kbsim::app {

/// The option --plugin FILE, repeatable, and --kernels, its old name. Once parsed, the shared objects are
/// loaded, and what they register is known by name until the process ends. UsageError naming the file: not
/// there, not a shared object, built with another kbsim's headers, given twice, one that registers nothing,
/// or a name that is taken.
void describe_plugins(boost::program_options::options_description& to);

/// InternalError if two built-in things of a kind have one name.
void require_no_conflicts();

}  // namespace kbsim::app
